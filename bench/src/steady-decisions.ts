import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { script } from './processes.js';

export interface SteadyDecisions {
  /** Decisions a second. */
  perSecond: number;
  questions: readonly object[];
  folder: string;
  /** A cloud takes one; an agent takes none. */
  key?: string;
}

/** Decisions at a constant rate until it is ended, from a process of its own. */
export function steadyDecisions(url: string, { perSecond, questions, folder, key }: SteadyDecisions) {
  const file = join(folder, 'questions.json');
  writeFileSync(file, JSON.stringify(questions));
  const child = spawn(process.execPath, [script('steady-load'), url, `${perSecond}`, file], {
    env: { ...process.env, ...(key !== undefined && { SERVICE_API_KEY: key }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = text(child.stdout);
  return {
    end: async () => {
      child.stdin.end();
      return JSON.parse(await answers) as [sentAt: number, ms: number][];
    },
  };
}
