import { ProblemError } from '@authz-service/core/problem';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

const BASED_ON_PARENT = 'parentbased_';

/** A valid header of W3C Trace Context, and its flags, of which the first says whether the caller samples. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})/;

export interface RequestSampler {
  /** Decides on what `skips` has not. */
  sampler: Sampler;
  /** Whether a request with this `traceparent` is not sampled, as far as that is known without making a span: most are not. */
  skips(traceparent: string | undefined): boolean;
}

/** The sampler that `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` name. Throws `invalid_config` for another. */
export function samplerOf(env: NodeJS.ProcessEnv, random: () => number = Math.random): RequestSampler {
  const name = env.OTEL_TRACES_SAMPLER || `${BASED_ON_PARENT}always_on`;
  const ratio = ratioOf(env.OTEL_TRACES_SAMPLER_ARG);
  const roots: { [name: string]: { ratio: number; sampler: () => Sampler } } = {
    always_on: { ratio: 1, sampler: () => new AlwaysOnSampler() },
    always_off: { ratio: 0, sampler: () => new AlwaysOffSampler() },
    traceidratio: { ratio, sampler: () => new TraceIdRatioBasedSampler(ratio) },
  };
  const isBased = name.startsWith(BASED_ON_PARENT);
  const root = roots[isBased ? name.slice(BASED_ON_PARENT.length) : name];
  if (root === undefined) {
    const known = Object.keys(roots).flatMap((one) => [one, `${BASED_ON_PARENT}${one}`]);
    throw new ProblemError('invalid_config', `OTEL_TRACES_SAMPLER is "${name}": write one of ${known.join(', ')}.`);
  }
  if (!isBased) return { sampler: root.sampler(), skips: () => false };
  return {
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    skips: (traceparent) => {
      const flags = traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent)?.[1];
      return flags === undefined ? random() >= root.ratio : (Number.parseInt(flags, 16) & 1) === 0;
    },
  };
}

function ratioOf(text: string | undefined): number {
  const ratio = Number(text || '1');
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ProblemError(
    'invalid_config',
    `OTEL_TRACES_SAMPLER_ARG is "${text}": write a ratio from 0 to 1, like "0.01".`,
  );
}
