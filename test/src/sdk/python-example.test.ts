import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { guardsRoutes } from './guarded-routes/guards-routes.js';
import { PYTHON, pythonHas } from './python.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const examples = join(root, 'examples/guarded-routes');

/** The examples find the SDK in its sources, as they would find it installed. */
const args = (name: string) => [
  '-c',
  'import sys, runpy; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], run_name="__main__")',
  join(root, 'sdk/python/src'),
  join(examples, name, 'main.py'),
];

describe.runIf(pythonHas(['h11', 'fastapi', 'uvicorn'], 'the FastAPI example'))('routes guarded in FastAPI', () => {
  guardsRoutes(async () => ({ command: PYTHON, args: args('fastapi'), cwd: examples }), { lists: true });
});

describe.runIf(pythonHas(['django'], 'the Django example'))('routes guarded in Django', () => {
  guardsRoutes(async () => ({ command: PYTHON, args: args('django'), cwd: examples }), { lists: true });
});
