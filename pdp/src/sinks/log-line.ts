/** A line of a log that accounts for every line. Each process numbers its lines from 1. */
export interface LogLine {
  process: string;
  order: number;
  /** ISO 8601, UTC. */
  time: string;
  /** A JSON object with a line feed. Its `id` is that of `lineId`. */
  text: string;
}

/** The id by which a line that arrives twice is recognized. */
export function lineId(process: string, order: number): string {
  return `${process}.${order}`;
}
