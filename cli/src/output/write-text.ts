import { writeFile } from 'node:fs/promises';

/** Writes a file. Its errors name it, also those of a full disk, of which Node does not say the path. */
export async function writeText(path: string, text: string | Buffer, shownAs = path): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: shownAs });
  }
}
