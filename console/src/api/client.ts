import { ConsoleClient } from '@authz-service/sdk/console-client';
import type { RecordLinks, SearchPage, SearchQuery } from './answers.js';

/** The client of the signed-in person. The session is in a cookie that no script can read. */
class BrowserClient extends ConsoleClient {
  constructor(at?: string) {
    super({ url: `${location.origin}/console/api`, tracer: false, retries: 1, at });
  }

  /** What a record refers to, and a page of the records that mention it. */
  async links(address: string, cursor: string | undefined, signal: AbortSignal): Promise<RecordLinks> {
    const query = { address, cursor, limit: 50 };
    const answer = await this.json({ method: 'GET', path: '/v1/links', query, repeat: 'harmless' }, { signal });
    return answer as RecordLinks;
  }

  /** Records found by their names in an index. */
  async search(query: SearchQuery, signal: AbortSignal): Promise<SearchPage> {
    const answer = await this.json(
      { method: 'GET', path: '/v1/search', query: { ...query }, repeat: 'harmless' },
      { signal },
    );
    return answer as SearchPage;
  }
}

export const client = new BrowserClient();

/** The client that asks as of a past time or revision, or of now where none is named. */
export function clientAt(at: string): ConsoleClient {
  return at === '' ? client : new BrowserClient(at);
}
