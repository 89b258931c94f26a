import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Gives a finished file its name: from then on the file is complete, even after a loss of power. */
export async function replaceFile(finished: string, name: string): Promise<void> {
  await sync(finished, 'r+');
  await rename(finished, name);
  // Windows cannot open folders, and does not need them to be synced.
  if (process.platform !== 'win32') await sync(dirname(name), 'r');
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
