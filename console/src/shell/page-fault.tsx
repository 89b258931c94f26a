import type { ErrorComponentProps } from '@tanstack/react-router';
import { ProblemNote } from '../ui/problem-note.js';

/** Stands where a page could not be drawn. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  return <ProblemNote error={error instanceof Error ? error : new Error(String(error))} retry={reset} />;
}
