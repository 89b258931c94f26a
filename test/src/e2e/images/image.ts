import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', 'true']).status === 0;

/** The root file system of an image, with what its Containerfile says of it. */
export class Image {
  readonly #containerfile: string;
  readonly #root: string;
  readonly #data: string;

  /** Writes it below `folder`. */
  constructor(
    readonly name: 'agent' | 'cloud',
    folder: string,
  ) {
    this.#containerfile = readFileSync(join(root, `deploy/containers/${name}.Containerfile`), 'utf8');
    this.#root = join(folder, name, 'root');
    this.#data = join(folder, name, 'data');
    mkdirSync(this.#data, { recursive: true });
    const made = spawnSync(process.execPath, ['scripts/image-root.mjs', name, this.#root], { cwd: root });
    if (made.status !== 0) throw new Error(`The image cannot be made: ${made.stderr}`);
  }

  #listed(instruction: string): string[] {
    const line = new RegExp(`^${instruction}\\b.*?(\\[.*\\])$`, 'm').exec(this.#containerfile);
    return line === null ? [] : JSON.parse(line[1] ?? '[]');
  }

  /** The command that runs the image as its user, without capabilities, where only its data can be written. */
  get command(): string[] {
    return this.#contained([...this.#listed('ENTRYPOINT'), ...this.#listed('CMD')]);
  }

  #contained(command: readonly string[]): string[] {
    const [, user = ''] = /^USER (\d+):\d+$/m.exec(this.#containerfile) ?? [];
    return [
      ...['bwrap', '--ro-bind', this.#root, '/', '--bind', this.#data, '/data', '--proc', '/proc', '--dev', '/dev'],
      ...['--unshare-user', '--uid', user, '--gid', user, '--cap-drop', 'ALL', '--unshare-ipc', '--unshare-uts'],
      ...['--die-with-parent', ...command],
    ];
  }

  /** Returns the exit code of the health check, for a program that listens at this address. */
  async healthCheck(address: string): Promise<number> {
    const [file = '', ...args] = this.#contained(this.#listed('HEALTHCHECK'));
    const [code] = await once(spawn(file, args, { env: { SERVICE_LISTEN_ADDR: address } }), 'exit');
    return code;
  }

  get programs(): string[] {
    return readdirSync(join(this.#root, 'bin'));
  }

  get bytes(): number {
    const files = readdirSync(this.#root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    return files.reduce((sum, one) => sum + statSync(join(one.parentPath, one.name)).size, 0);
  }

  get data(): string[] {
    return readdirSync(this.#data);
  }
}

/** Ends the program in a container: bubblewrap itself would end without waiting for it. */
export function endContained(pid: number | undefined): void {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGTERM');
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
