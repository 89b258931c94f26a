/** Parses the texts that it is sent; see `parse-texts.ts`. */
import { parentPort } from 'node:worker_threads';
import { parsedText } from '@authz-service/core/manifest/parsed-text';
import type { ParseDone, ParseWork } from './parse-texts.js';

parentPort?.on('message', ({ index, text }: ParseWork) => {
  const parsed = parsedText(text);
  const done: ParseDone = { index, parsed };
  parentPort?.postMessage(done, [parsed.bytes.buffer as ArrayBuffer]);
});
