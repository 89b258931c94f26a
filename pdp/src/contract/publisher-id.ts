/**
 * With this begins the id of what fetches bundles to distribute them by files: its entry in the list of agents stands for
 * readers that nobody knows.
 */
export const PUBLISHER_PREFIX = 'publisher:';

export function isPublisher(id: string): boolean {
  return id.startsWith(PUBLISHER_PREFIX);
}
