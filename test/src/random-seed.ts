import fc from 'fast-check';

/**
 * `npm test` draws the same random inputs each time, so that a change is refused for what it breaks, never by luck.
 * A longer run (`SERVICE_PROPERTY_FACTOR`) draws others each time, as does `SERVICE_PROPERTY_SEED=random`;
 * a number there repeats a run.
 */
const longer = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1) > 1;
const seed = process.env.SERVICE_PROPERTY_SEED ?? (longer ? 'random' : '17');
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
