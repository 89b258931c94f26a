import { RefusedLines } from './target.js';

/** A line of a log that accounts for every line. Each process numbers its lines from 1. */
export interface LogLine {
  process: string;
  order: number;
  /** ISO 8601, UTC. */
  time: string;
  /** A JSON object with a line feed. Its `id` is that of `lineId`. */
  text: string;
}

/** The fields of a line. A damaged one, as a queue has after a loss of power, throws `RefusedLines`: no receiver takes it. */
export function fieldsOf(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw new RefusedLines('the line is damaged');
}

/** The id by which a line that arrives twice is recognized. */
export function lineId(process: string, order: number): string {
  return `${process}.${order}`;
}
