// A private PostgreSQL cluster with PostGIS, for a test and for the benchmark: in a temporary folder, reached by a
// socket in it only, stopped when the program ends, however it ends.
import { execFile, execFileSync, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../until.ts';

export interface Postgis {
  /** Of the server and of PostGIS. */
  version: string;
  /** For libpq and, after `PG:`, for GDAL. */
  connection: string;
  /** Runs SQL. @returns what psql prints, unaligned, without headings @throws Error when a statement fails */
  sql(text: string): string;
  /** Runs pgbench. @returns what it prints @throws Error when it fails */
  pgbench(args: readonly string[]): Promise<string>;
  /** Of the server, which starts one process for each connection. */
  pid: number;
  stop(): Promise<void>;
}

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const DATABASE = 'bench';
/** Room for the whole table in memory, and nothing that makes short queries slower. */
const SETTINGS = 'shared_buffers=1GB jit=off max_parallel_workers_per_gather=0 fsync=off listen_addresses='.split(' ');

/**
 * Makes a cluster and starts it. PostgreSQL refuses to run as root: then the user `postgres` runs it.
 * @param folder of this run; made accessible to that user
 * @throws Error that says what is not installed, or what the server wrote when it does not start
 */
export async function startPostgis(folder: string): Promise<Postgis> {
  const programs = programFolder();
  const home = join(folder, 'postgis');
  mkdirSync(home);
  const user = process.getuid?.() === 0 ? unprivileged() : {};
  if (user.uid !== undefined && user.gid !== undefined) {
    chmodSync(folder, 0o711);
    chownSync(home, user.uid, user.gid);
  }
  const data = join(home, 'data');
  const options: SpawnSyncOptions = { ...user, cwd: home, encoding: 'utf8', maxBuffer: 2 ** 30 };
  const program = (name: string): string => join(programs, name);
  run(program('initdb'), ['-D', data, '-U', DATABASE, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], options);
  const settings = [`unix_socket_directories=${home}`, ...SETTINGS].flatMap((setting) => ['-c', setting]);
  const server = spawn(program('postgres'), ['-D', data, ...settings], {
    ...user,
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const end = (): void => {
    if (server.exitCode === null) spawnSync(program('pg_ctl'), ['stop', '-D', data, '-m', 'fast'], options);
    rmSync(home, { recursive: true, force: true });
  };
  // Before the folder of the run is removed, which an earlier listener does.
  process.prependOnceListener('exit', end);
  const connection = `host=${home} user=${DATABASE} dbname=${DATABASE}`;
  const isReady = (): boolean => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL does not start: ${log}`);
    return spawnSync(program('pg_isready'), ['-q', '-h', home]).status === 0;
  };
  await until(isReady, () => `PostgreSQL does not start: ${log}`);
  run(program('createdb'), ['-h', home, '-U', DATABASE, DATABASE], options);
  const sql = (text: string): string =>
    run(program('psql'), [connection, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', text], options).trim();
  const pgbench = async (args: readonly string[]): Promise<string> => {
    // Not spawnSync: the benchmark can be interrupted meanwhile.
    const { stdout } = await promisify(execFile)(program('pgbench'), [...args, connection], { ...user, cwd: home });
    return stdout;
  };
  sql('CREATE EXTENSION postgis');
  const version = `PostgreSQL ${sql('SHOW server_version').split(' ')[0]}, PostGIS ${sql('SELECT postgis_lib_version()')}`;
  const stop = async (): Promise<void> => {
    const exit = once(server, 'exit');
    end();
    await exit;
  };
  return { version, connection, sql, pgbench, pid: server.pid ?? 0, stop };
}

/** The folder of the newest version. @throws Error where there is none */
function programFolder(): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const found = newest.find((bin) => ['initdb', 'postgres', 'pgbench'].every((name) => existsSync(join(bin, name))));
  if (found === undefined)
    throw new Error(`PostgreSQL is not installed in ${DEBIAN_FOLDER} (Debian: postgresql-postgis)`);
  return found;
}

function unprivileged(): { uid?: number; gid?: number } {
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function run(command: string, args: readonly string[], options: SpawnSyncOptions): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
  return String(stdout);
}
