import {
  faultText,
  type Manifest,
  type ManifestFault,
  type ManifestFile,
  type ManifestResult,
} from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';
import { counted } from '../output/text.js';
import { parsedAhead } from './parsing/parse-ahead.js';
import { relativePath } from './relative-path.js';

/** The tree is invalid: every fault with its place. */
export class InvalidTree extends ProblemError {
  constructor(
    readonly faults: readonly ManifestFault[],
    folder: string,
  ) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length.toLocaleString('en')} faults`;
    super(
      'invalid_records',
      `The tree "${folder}" has ${count}.`,
      faults.map(({ pointer = '', ...fault }) => ({ pointer, ...fault })),
    );
  }
}

/** Parsing a file with more characters than this takes about a second, and reading what was parsed half of that. */
const LONG_TEXT = 500_000;

/** Hears how far a reading has come; before a long step, `long` is set. */
export type OnReading = (text: string, long: boolean) => void;

export interface LoadedTree {
  files: number;
  result: ManifestResult;
}

/** Reads a folder, or one YAML file, in an environment if one is named; paths are relative to the current folder. */
export async function readFolder(folder: string, environment?: string, onProgress?: OnReading): Promise<LoadedTree> {
  const { readTree } = await import('@authz-service/embedded/tree/read-tree');
  return await readRecords(await readTree(folder, environment), onProgress);
}

/** Reads the text of files of a tree. */
async function readRecords(files: readonly ManifestFile[], onProgress?: OnReading): Promise<LoadedTree> {
  const [parsed, { readManifest }] = await Promise.all([
    parsedFiles(files, onProgress),
    import('@authz-service/core/manifest/read'),
  ]);
  const hasLongFile = files.some(({ text }) => text.length > LONG_TEXT);
  let reportedFile = 0;
  return {
    files: files.length,
    result: readManifest(parsed, {
      now: Date.now(),
      onProgress: ({ files: begun, records }) => {
        onProgress?.(
          `Reading the tree: file ${begun} of ${files.length}, ${counted(records, 'record')}`,
          hasLongFile && begun > reportedFile,
        );
        reportedFile = begun;
      },
    }),
  };
}

/** Files as messages name them: relative to the current folder; parsed, where that saves time. */
export async function parsedFiles(files: readonly ManifestFile[], onProgress?: OnReading): Promise<ManifestFile[]> {
  return await parsedAhead(
    files.map((file) => ({ ...file, path: relativePath(file.path) })),
    {
      onFile: (begun, characters) =>
        onProgress?.(`Parsing the tree: file ${begun} of ${files.length}`, characters > LONG_TEXT),
    },
  );
}

/** A tree without faults. */
export interface SoundTree extends Pick<ManifestResult, 'placeOf' | 'environmentPlaceOf'> {
  manifest: Manifest;
}

/** Reads a folder for commands that need a valid tree. Warnings go to `warn`. Throws `InvalidTree`. */
export async function loadTree(
  folder: string,
  warn: (text: string) => Promise<void>,
  { environment, onProgress }: { environment?: string | undefined; onProgress?: OnReading } = {},
): Promise<SoundTree> {
  return await sound((await readFolder(folder, environment, onProgress)).result, folder, warn);
}

/**
 * Reads the tree at a Git revision, as `REVISION:PATH`; without a path, that of the current folder. Warnings go to `warn`.
 * Throws `InvalidTree`.
 */
export async function loadGitTree(
  spec: string,
  warn: (text: string) => Promise<void>,
  environment?: string,
): Promise<SoundTree> {
  const { readGitTree } = await import('./read-git-tree.js');
  return await sound((await readRecords(await readGitTree(spec, environment))).result, spec, warn);
}

async function sound(
  result: ManifestResult,
  folder: string,
  warn: (text: string) => Promise<void>,
): Promise<SoundTree> {
  for (const warning of result.warnings) await warn(faultText(warning));
  if (result.manifest === undefined) throw new InvalidTree(result.faults, folder);
  const { manifest, placeOf, environmentPlaceOf } = result;
  return { manifest, placeOf, environmentPlaceOf };
}
