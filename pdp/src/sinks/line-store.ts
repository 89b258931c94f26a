/** A place that takes lines at once and may be full. */
export interface LineStore {
  /** Takes a line with its line feed, if need be beyond the bound; returns false if there is no room for it. */
  write(line: string, beyondBound?: boolean): boolean;
  /** Resolves once there is room again; undefined if there is. */
  room(): Promise<void> | undefined;
  /** Called when there is room again. */
  onRoom?: () => void;
  /** The bytes that are taken and not yet delivered. */
  readonly queuedBytes: number;
}
