/**
 * Compiles the function on standard input that gives the provider, and writes what V8 made of it as base64. V8 compiles
 * functions when they are called first, so a plan comes before, of a tenant that is empty.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { Script } from 'node:vm';
import { pack } from '../provider/dist/plugin/wire/msgpack.js';

const ANSWERS = {
  '/oauth/token': { access_token: 'token', token_type: 'Bearer', expires_in: 600 },
  '/v1/whoami': {
    tenant: { id: '', name: 'default' },
    credential: { kind: 'oauth_client', id: '', name: 'pipeline' },
    scopes: ['records:write'],
  },
  '/v1/state': { tenant: '', revision: '1', records: [] },
};
const cloud = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(ANSWERS[request.url]));
});
await new Promise((resolve) => cloud.listen(0, '127.0.0.1', resolve));
const configuration = {
  cloud_url: `http://127.0.0.1:${cloud.address().port}`,
  client_id: 'id',
  client_secret: 'secret',
};

const script = new Script(await text(process.stdin), { filename: 'provider.js' });
const loaded = { exports: {} };
script.runInThisContext()(loaded.exports, createRequire(import.meta.url), loaded);
const handlers = loaded.exports.serviceHandlers({}, { log() {}, enabled: () => false });
const subject = { type_name: 'service_subject', config: { msgpack: pack({ type: 'user', id: 'anna' }) } };
for (const [method, request] of [
  ['GetProviderSchema', {}],
  ['ValidateResourceConfig', subject],
  ['ConfigureProvider', { config: { msgpack: pack(configuration) } }],
  ['ValidateResourceConfig', subject],
  ['PlanResourceChange', { ...subject, proposed_new_state: subject.config }],
]) {
  const { diagnostics = [] } = await handlers[method](request);
  if (diagnostics.length > 0) throw new Error(`${method}: ${JSON.stringify(diagnostics)}`);
}
process.stdout.write(script.createCachedData().toString('base64'), () => process.exit());
