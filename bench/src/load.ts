import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Requests per second that a server answers to `wrk`, each request another of `bodies`, with keep-alive. */
export function load(url: string, path: string, bodies: string[], folder: string, seconds = 5): number {
  const script = join(folder, 'ask.lua');
  const table = bodies.map((body) => `[==[${body}]==]`).join(',\n');
  writeFileSync(
    script,
    `local bodies = {${table}}
local asked = {}
local next = 0
request = function()
  next = next % #bodies + 1
  if asked[next] == nil then
    asked[next] = wrk.format("POST", "${path}", { ["content-type"] = "application/json" }, bodies[next])
  end
  return asked[next]
end
`,
  );
  const done = spawnSync('wrk', ['-t1', '-c32', `-d${seconds}s`, '-s', script, url], { encoding: 'utf8' });
  if (done.error) throw new Error(`wrk is needed for the load (Debian: apt-get install wrk): ${done.error.message}`);
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(done.stdout);
  if (failed) throw new Error(`${url}: ${failed[0]}`);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(done.stdout)?.[1]);
  if (!(rate > 0)) throw new Error(`wrk said of ${url}:\n${done.stdout}${done.stderr}`);
  return rate;
}
