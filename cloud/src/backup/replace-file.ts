import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Gives a finished file its name: from then on it is there whole, also after a loss of power. */
export async function replaceFile(finished: string, name: string): Promise<void> {
  await sync(finished, 'r+');
  await rename(finished, name);
  // Windows opens no folders, and needs none to be synced.
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
