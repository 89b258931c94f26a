import { spawnSync } from 'node:child_process';

/** Debian's packages are those of its own Python, whatever other one comes first on the PATH. */
export const PYTHON = spawnSync('/usr/bin/python3', ['--version']).status === 0 ? '/usr/bin/python3' : 'python3';

/** Whether Python has the modules; where it does not, says so where nobody overlooks it. */
export function pythonHas(modules: string[], skipped: string): boolean {
  const missing = modules.filter((module) => spawnSync(PYTHON, ['-c', `import ${module}`]).status !== 0);
  if (missing.length === 0) return true;
  process.stderr.write(`\n*** SKIPPED: ${skipped}: Python lacks ${missing.join(', ')}. CI skips none of it. ***\n\n`);
  return false;
}
