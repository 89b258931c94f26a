import { ProblemError } from '@authz-service/core/problem';
import { readSite, type SiteFile } from '../console/site.js';
import { type Reply, versioned } from '../http/reply.js';
import { open, type Route } from '../http/route.js';

const PAGE = 'index.html';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * The files of the console, for everything below `/console` but its API. What does not look like a file is a page,
 * which the browser renders. It is no operation of the API, and the router knows nothing of it.
 */
export function consoleSite(): Route {
  let site: ReadonlyMap<string, SiteFile> | undefined;
  return open({
    method: 'GET',
    path: '/console/{path}',
    operation: { id: 'getConsole', summary: 'The web console.', tag: 'console', responses: {} },
    handle: ({ params: { path = '' }, headers }): Reply | Promise<Reply> => {
      if (path === '/console') return { status: 308, headers: { location: '/console/' } };
      site ??= readSite();
      const name = path.slice('/console/'.length);
      const file = site.get(/\.\w+$/.test(name) ? name : PAGE);
      if (file === undefined) throw missing(name, site);
      const zip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')) ? file.gzip : undefined;
      return versioned(headers['if-none-match'], file.etag, () => ({
        status: 200,
        headers: {
          vary: 'accept-encoding',
          ...(zip && { 'content-encoding': 'gzip' }),
          ...(file.immutable && { 'cache-control': `public, max-age=${YEAR_SECONDS}, immutable` }),
        },
        body: { type: file.type, content: zip ?? file.plain },
      }));
    },
  });
}

function missing(name: string, site: ReadonlyMap<string, SiteFile>): ProblemError {
  const built = site.size > 0;
  return new ProblemError(
    'not_found',
    built
      ? `The console has no file "${name.slice(0, 200)}".`
      : 'This cloud was installed without the console: "npm run build" builds it.',
  );
}
