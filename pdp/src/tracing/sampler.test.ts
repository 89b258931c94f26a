import { describe, expect, it } from 'vitest';
import { samplerOf } from './sampler.js';

const parent = (flags: string) => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`;

describe('the sampler of the environment', () => {
  it.each<[string | undefined, string | undefined, string | undefined, number, boolean]>([
    [undefined, undefined, undefined, 0.999, false],
    [undefined, undefined, parent('00'), 0, true],
    ['parentbased_always_off', undefined, undefined, 0, true],
    ['parentbased_always_off', undefined, parent('01'), 0.999, false],
    ['parentbased_traceidratio', '0.01', undefined, 0.009, false],
    ['parentbased_traceidratio', '0.01', undefined, 0.01, true],
    ['parentbased_traceidratio', '0.01', 'nonsense', 0.01, true],
    ['parentbased_traceidratio', '0.01', parent('03'), 0.999, false],
    ['parentbased_traceidratio', '0.01', parent('02'), 0, true],
    ['traceidratio', '0.01', parent('00'), 0.999, false],
  ])('%s with %s skips a request with %s at %s: %s', (name, ratio, traceparent, drawn, skipped) => {
    const { skips } = samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }, () => drawn);
    expect(skips(traceparent)).toBe(skipped);
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'write one of always_on, parentbased_always_on'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'write a ratio from 0 to 1'],
  ])('is refused as %j', (env, detail) => {
    expect(() => samplerOf(env)).toThrow(
      expect.objectContaining({ code: 'invalid_config', detail: expect.stringContaining(detail) }),
    );
  });
});
