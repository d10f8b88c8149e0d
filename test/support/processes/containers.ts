// Debian's podman in the place of docker, with the base image of the Dockerfiles made on this machine: debootstrap's
// Debian with npm's Node. Images and their layers are kept in the user's cache folder.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after } from '../after.ts';
import { type Ended, INSTALLED, runProgram, without } from './programs.ts';

const REPOSITORY = resolve('.');
const HOME = join(INSTALLED, 'containers');
const BIN = join(HOME, 'bin');
/** What podman notes of containers that run. It takes no long path. */
const RUN = '/run/boundaries-containers';
const BASE = 'docker.io/library/node:24-slim';
/** The Debian that it is made of, and its npm's line. */
const [DEBIAN, NPM] = ['bookworm', 'npm@11'];
/** npm's settings that say where packages come from. */
const NPM_SETTINGS = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];
/** Of images that are no longer named those are removed that are older: what compiling the binding has left is not. */
const KEPT = '168h';

/** Limits that need no capability to be set, and no systemd. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
`;

/** Why tests with containers are skipped; false where they can run. */
export function withoutContainers(): string | false {
  if (process.getuid?.() !== 0) return 'only root can make the base image';
  return without('podman --version', 'runc --version', 'debootstrap --version');
}

/** Makes `docker` a program, and the base image where it is not there yet. Containers go when the test file ends. */
export function prepareDocker(): void {
  mkdirSync(BIN, { recursive: true });
  writeFileSync(join(HOME, 'containers.conf'), SETTINGS);
  const program = join(BIN, 'docker');
  // chroot: the commands of a Dockerfile need no namespaces. Images of OCI's format have no health check.
  writeFileSync(
    program,
    `#!/bin/sh
export CONTAINERS_CONF='${HOME}/containers.conf' BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker
exec podman --root '${HOME}/storage' --runroot ${RUN} "$@"
`,
  );
  chmodSync(program, 0o755);
  const removeContainers = (): void => void spawnSync(program, ['rm', '--all', '--force']);
  after(removeContainers);
  // A test that was killed leaves some.
  removeContainers();
  if (spawnSync(program, ['image', 'exists', BASE]).status !== 0) makeBaseImage(program);
  run(program, ['image', 'prune', '--force', '--filter', `until=${KEPT}`]);
}

/** Types a command with docker in it into a shell. */
export function typeDocker(command: string, cwd: string): Promise<Ended> {
  const env = { ...process.env, PATH: `${BIN}:${process.env['PATH']}` };
  return runProgram('sh', ['-ec', command], { cwd, env });
}

/** Of the files of docker.io's image those that the Dockerfiles need: Node with its headers, npm, the user `node`. */
function makeBaseImage(docker: string): void {
  const tree = mkdtempSync(join(HOME, 'base-'));
  try {
    run('debootstrap', ['--variant=minbase', DEBIAN, tree]);
    for (const folder of ['var/cache/apt/archives', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man'])
      rmSync(join(tree, folder), { recursive: true });
    mkdirSync(join(tree, 'var/cache/apt/archives/partial'), { recursive: true });
    const local = join(tree, 'usr/local');
    const node = run(process.execPath, ['.setup/other-node.js', '24']).trimEnd();
    copyFileSync(node, join(local, 'bin/node'));
    cpSync(join(dirname(dirname(node)), 'include'), join(local, 'include'), { recursive: true });
    run('npm', ['install', '--global', '--prefix', local, '--ignore-scripts', NPM]);
    writeNpmSettings(local);
    run('chroot', [tree, 'useradd', '--uid', '1000', '--create-home', 'node']);
    const settings = ['ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'CMD ["node"]'];
    const changes = settings.flatMap((setting) => ['--change', setting]);
    const importing = [docker, 'import', ...changes, '-', BASE];
    run('sh', ['-ec', 'tree=$1; shift; tar -C "$tree" -c . | "$@"', 'sh', tree, ...importing]);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** The image's npm finds packages where this machine's does, and trusts what it trusts. */
function writeNpmSettings(local: string): void {
  const all: Record<string, unknown> = JSON.parse(run('npm', ['config', 'list', '--json']));
  const lines = NPM_SETTINGS.filter((name) => all[name] !== null).map((name) => `${name}=${all[name]}`);
  const certificates = all['cafile'] || process.env['NODE_EXTRA_CA_CERTS'];
  mkdirSync(join(local, 'etc'), { recursive: true });
  if (certificates) {
    copyFileSync(String(certificates), join(local, 'etc/npm-certificates.pem'));
    lines.push('cafile=/usr/local/etc/npm-certificates.pem');
  }
  writeFileSync(join(local, 'etc/npmrc'), lines.map((line) => `${line}\n`).join(''));
}

/** Runs a program to its end; what it printed. @throws Error if it fails */
function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: REPOSITORY, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}
