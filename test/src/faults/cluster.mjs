/**
 * An application as a cluster of two workers, each with an embedded decision point in the folder that all share. Prints lines of
 * JSON: whether alice may read at each revision that a worker serves, and what it logs as an error.
 */
import cluster from 'node:cluster';
import { EmbeddedPdp } from '@authz-service/embedded';

const ASKED = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
};

if (cluster.isPrimary) {
  for (let count = 0; count < 2; count++) cluster.fork();
  cluster.on('message', (_, line) => process.stdout.write(`${JSON.stringify(line)}\n`));
} else {
  const { CLOUD_URL: cloudUrl, API_KEY: apiKey, CACHE_DIR: cacheDir } = process.env;
  const worker = cluster.worker.id;
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: (fields) => process.send({ worker, ...fields }) };
  const pdp = await EmbeddedPdp.start({ cloudUrl, apiKey, cacheDir, log, readyMs: 20_000 });
  const tell = (revision) => process.send({ worker, revision, allowed: pdp.isAllowed(ASKED) });
  tell(pdp.revision);
  pdp.events.on('revision', tell);
}
