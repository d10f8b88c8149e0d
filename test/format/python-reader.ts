// A reader of releases that shares no code with this project: test/format/read_release.py, written from
// format/README.md. One interpreter reads for a whole test file: its start costs more than most releases.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Level, levelName } from '../../format/levels.ts';
import { after } from '../support/after.ts';

/** What the command prints, and its exit code. */
export interface Read {
  status: number;
  text: string;
  error: string;
}

/** Reads a level of an output folder. @param args as they are typed after both */
export type Reader = (out: string, level: Level, ...args: readonly string[]) => Promise<Read>;

const CALLS = `
import contextlib, io, json, pathlib, sys

sys.path.insert(0, "test/format")
import read_release

for line in sys.stdin:
    output, level, *arguments = json.loads(line)
    content, error = io.BytesIO(), ""
    with contextlib.redirect_stdout(io.TextIOWrapper(content, write_through=True)) as printed:
        try:
            read_release.main(pathlib.Path(output), level, arguments)
        except SystemExit as end:
            error = f"{end}\\n"
    read = {"status": 1 if error else 0, "text": content.getvalue().decode(), "error": error}
    print(json.dumps(read), flush=True)
`;

/** Starts the interpreter, which ends with the test file. */
export function startReader(): Reader {
  // Its standard library is enough.
  const python = spawn('python3', ['-I', '-S', '-c', CALLS], { stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => python.stdin.end());
  const answers = createInterface(python.stdout)[Symbol.asyncIterator]();
  return async (out, level, ...args) => {
    python.stdin.write(`${JSON.stringify([out, levelName(level), ...args])}\n`);
    const { value, done } = await answers.next();
    assert.ok(!done, 'python3 has ended');
    return JSON.parse(value);
  };
}

/** Asserts that a reader prints exactly this. */
export async function assertReads(read: Reader, [out, level, ...args]: Parameters<Reader>, expected: string) {
  const { status, text, error } = await read(out, level, ...args);
  const what = `${levelName(level)} ${args.join(' ')}`;
  assert.deepEqual([status, error], [0, ''], what);
  assert.ok(text === expected, `${what}: expected other features`);
}
