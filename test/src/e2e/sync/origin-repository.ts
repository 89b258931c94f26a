import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'ann',
  GIT_AUTHOR_EMAIL: 'ann@acme.example',
  GIT_COMMITTER_NAME: 'ann',
  GIT_COMMITTER_EMAIL: 'ann@acme.example',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** A repository in a folder of this machine, to which a test commits. */
export class OriginRepository {
  constructor(readonly folder: string) {}

  async create(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await this.git('init', '-q', '-b', 'main');
  }

  async git(...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: this.folder, ...IDENTITY };
    return (await promisify(execFile)('git', args, { cwd: this.folder, env })).stdout.trim();
  }

  /** Writes files, and commits everything; returns the commit. `undefined` removes a file. */
  async commit(files: Record<string, string | undefined>, message = 'Change'): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.folder, path);
      await mkdir(dirname(file), { recursive: true });
      if (text === undefined) await rm(file);
      else await writeFile(file, text);
    }
    await this.git('add', '-A');
    await this.git('commit', '-q', '--allow-empty', '-m', message);
    return await this.git('rev-parse', 'HEAD');
  }
}
