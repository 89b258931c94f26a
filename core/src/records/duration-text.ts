import * as z from 'zod';
import { durationMs } from '../values/duration.js';

/** A duration as text, like `30s` or `1h30m`, which may be left out. It is kept as it is written. */
export const durationText = ({ least, most }: { least: string; most: string }, text: string) =>
  z
    .string()
    .max(32)
    .regex(/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/, {
      error: 'must be a duration like "30s", "10m" or "1h30m"',
      abort: true,
    })
    .refine((written) => {
      const ms = durationMs(written) ?? Number.NaN;
      return ms >= (durationMs(least) ?? 0) && ms <= (durationMs(most) ?? 0);
    }, `must be a duration from ${least} to ${most}`)
    .optional()
    .meta({ description: text });
