import type { AuditFilter, AuditPage } from '@authz-service/sdk/client';
import { ConsoleClient } from '@authz-service/sdk/console-client';
import type { AuditEntry } from '@authz-service/sdk/wire';
import type { LinksQuery, RecordLinks, SearchPage, SearchQuery } from './answers.js';

interface CommitQuery extends AuditFilter {
  revision?: number;
  limit?: number;
  cursor?: string | undefined;
}

/** The client of the signed-in person. The session is in a cookie that no script can read. */
class BrowserClient extends ConsoleClient {
  constructor(at?: string) {
    super({ url: `${location.origin}/console/api`, tracer: false, retries: 1, at });
  }

  /** A page of commits, the latest first. */
  async commits(query: CommitQuery, signal?: AbortSignal): Promise<AuditPage> {
    const answer = await this.json(
      { method: 'GET', path: '/v1/audit', query: { ...query }, repeat: 'harmless' },
      { signal },
    );
    return answer as AuditPage;
  }

  /** The commit that made a revision; null where there is none. A record's versions lead to it, and so does its number. */
  async commitOf(number: number, signal: AbortSignal): Promise<AuditEntry | null> {
    const { items } = await this.commits({ revision: number, limit: 1 }, signal);
    return items[0] ?? null;
  }

  /** Returns what a record refers to, and a page of the records that mention it. */
  async links(query: LinksQuery, signal: AbortSignal): Promise<RecordLinks> {
    const answer = await this.json(
      { method: 'GET', path: '/v1/links', query: { ...query }, repeat: 'harmless' },
      { signal },
    );
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
