/**
 * Compiles the function on standard input that gives the provider, and writes what V8 made of it as base64. V8 compiles
 * functions when they are called first, so a plan comes before.
 */
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { Script } from 'node:vm';
import { pack, UNKNOWN } from '../provider/dist/plugin/wire/msgpack.js';

const script = new Script(await text(process.stdin), { filename: 'provider.js' });
const loaded = { exports: {} };
script.runInThisContext()(loaded.exports, createRequire(import.meta.url), loaded);
const handlers = loaded.exports.serviceHandlers({}, { log() {}, enabled: () => false });
const subject = { type_name: 'service_subject', config: { msgpack: pack({ type: 'user', id: 'anna' }) } };
await handlers.GetProviderSchema({});
await handlers.ValidateResourceConfig(subject);
await handlers.ConfigureProvider({ config: { msgpack: pack({ cloud_url: UNKNOWN }) } });
await handlers.PlanResourceChange({ ...subject, proposed_new_state: subject.config });
process.stdout.write(script.createCachedData().toString('base64'));
