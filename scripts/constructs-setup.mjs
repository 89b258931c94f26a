/** Has the constructs that tests read be those of the sources: a vitest global setup, which the unit tests begin with. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('provider-constructs.mjs', import.meta.url));

export default function setup(project) {
  // In a process of its own: the generator sets environment variables, which the tests would get.
  const generate = () => execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  generate();
  project.onTestsRerun(generate);
}
