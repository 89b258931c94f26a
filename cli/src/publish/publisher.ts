import { readNewest } from '@authz-service/core/bundle/newest';
import { bundlePath, deltaPath, pointerText, readPointer } from '@authz-service/core/bundle/publication';
import { readServedKeys, type ServedKeys } from '@authz-service/core/bundle/served-keys';
import { claimsOf, keyIdOf } from '@authz-service/core/bundle/signing-key';
import { ProblemError } from '@authz-service/core/problem';
import { compareTokens, isToken, splitToken } from '@authz-service/core/state/revision';
import { UsageError } from '../errors/usage-error.js';
import type { BundleFeed, FeedAnswer } from './bundle-feed.js';
import { type CheckedArchive, checkedBundle, checkedDelta, severalTenants } from './checked-archive.js';
import type { PublicationFolder } from './publication-folder.js';

/** When a whole bundle is written though the tenant is written all the time. */
export const WHOLE_BUNDLES = {
  /** A smaller one at each commit. */
  smallBytes: 1024 * 1024,
  /** Others after so many changes, or so large a share of the bundle: agents that start would read more than they need. */
  changes: 64,
  share: 0.25,
};
/** A tenant that is written all the time may be past a bundle when its changes are asked for. */
const JOIN_TRIES = 5;

export interface PublisherOptions {
  folder: PublicationFolder;
  feed: BundleFeed;
  /** How many changes stay that start before the whole bundle. */
  keep: number;
  /** Whether what is older than what is published replaces it. */
  allowRollback: boolean;
  wholeBundles?: typeof WHOLE_BUNDLES;
}

/** The published state: the whole bundle, and the changes after it that lead to the newest revision. */
interface PublishedState {
  tenant: string;
  kid: string;
  bundle: string;
  bundleBytes: number;
  newest: string;
  changes: { count: number; bytes: number };
}

/** The outcome of a round. */
export interface Round {
  tenant: string;
  revision: string;
  /** Whether the revision was not published before. */
  news: boolean;
  /** Whether the whole bundle is that of the newest revision, and the cloud has nothing newer. */
  done: boolean;
}

/**
 * Keeps a folder equal to what the cloud has. The pointer is written last, so that whatever it names is there, whenever this
 * ends. Others may publish to the same folder: what they have put in place is followed.
 */
export class Publisher {
  #state: PublishedState | undefined;
  /** The pointer that was last read or written, and the newest revision that this publisher has had it name. */
  #pointer: string | undefined;
  #published: string | undefined;
  #keys: ServedKeys | undefined;
  #keysText: string | undefined;

  constructor(private readonly options: PublisherOptions) {}

  /** The newest revision that agents can see, with its epoch. */
  get published(): string | undefined {
    return this.#published;
  }

  /** Asks the cloud once, waiting for news for so long, and publishes what it has. */
  async round(waitSeconds: number): Promise<Round> {
    const { folder, feed, keep } = this.options;
    await this.#adopt();
    const before = this.#state?.newest;
    // What is claimed, though it cannot be gone on from, tells whether the cloud has another past.
    let answer = before === undefined ? await feed.ask(this.#claimedToken()) : await feed.ask(before, waitSeconds);
    // What a new key signs is in a folder of its own, which begins with a whole bundle.
    if ((await this.#verified(answer)) !== this.#state?.kid && answer.is !== 'bundle') {
      answer = await feed.ask(undefined);
      await this.#verified(answer);
    }
    if (answer.is === 'bundle') await this.#begin(answer);
    else if (answer.is === 'delta') answer = await this.#advance(answer);
    const quiet = answer.is === 'same';
    await this.#point(answer.newest);
    if (this.#wantsWhole(quiet || waitSeconds === 0)) await this.#renewWhole();
    const { tenant, kid, bundle, newest } = this.#state as PublishedState;
    await folder.prune({ kid, bundle, keep });
    return { tenant, revision: splitToken(newest).revision, news: newest !== before, done: quiet && bundle === newest };
  }

  /** Takes over what is in the folder, if that is whole. */
  async #adopt(): Promise<void> {
    const text = await this.options.folder.readPointer();
    if (text !== undefined && text === this.#pointer) return;
    this.#pointer = text;
    this.#state = text === undefined ? undefined : await this.#found(text);
  }

  /** Returns what a pointer of this or an earlier run names; undefined if some of it is missing or damaged. */
  async #found(text: string): Promise<PublishedState | undefined> {
    const { folder } = this.options;
    const keys = await this.#currentKeys();
    const { newest: jws, bundle } = this.#read(text);
    const kid = keyIdOf(jws);
    const named = await readNewest(jws, keys.keys);
    if (kid === undefined || named?.tenant === undefined) return undefined;
    try {
      const bytes = await folder.read(bundlePath(kid, bundle));
      if (bytes === undefined) return undefined;
      const checked = await checkedBundle(bytes, keys.keys);
      if (checked.revision !== bundle || checked.tenant !== named.tenant) return undefined;
      const found: PublishedState = { ...begunWith(checked, bytes), kid };
      while (found.newest !== named.bundle && (await this.#followPlaced(found)));
      return found.newest === named.bundle ? found : undefined;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'invalid_bundle') return undefined;
      throw error;
    }
  }

  /** Goes on to where changes lead that are in the folder. Returns false if there are none. Throws `invalid_bundle`. */
  async #followPlaced(state: PublishedState): Promise<boolean> {
    const bytes = await this.options.folder.read(deltaPath(state.kid, state.newest));
    if (bytes === undefined) return false;
    const { keys } = await this.#currentKeys();
    const { tenant, revision } = await checkedDelta(bytes, state.newest, keys);
    if (tenant !== state.tenant || compareTokens(revision, state.newest) <= 0) return false;
    state.newest = revision;
    state.changes = { count: state.changes.count + 1, bytes: state.changes.bytes + bytes.length };
    return true;
  }

  /** The id of the key that has signed the statement of an answer, whose tenant must be that of the folder. */
  async #verified({ newest, revision }: FeedAnswer): Promise<string> {
    const kid = keyIdOf(newest) ?? '';
    const keys = await this.#currentKeys(kid);
    const named = await readNewest(newest, keys.keys);
    if (named === undefined || named.bundle !== revision) {
      throw new ProblemError(
        'invalid_bundle',
        `The statement that revision ${revision} is the newest is not signed by a key that the cloud serves (${kid}).`,
      );
    }
    if (named.tenant === undefined) throw severalTenants(2);
    const owner = this.#claimed()?.tenant;
    if (owner !== undefined && owner !== named.tenant) {
      throw new UsageError(
        `"${this.options.folder.path}" holds the bundles of tenant ${owner}, and the credential is of tenant ${named.tenant}: name another folder.`,
      );
    }
    return kid;
  }

  /** Returns what the pointer says, though it names something missing or was signed by a key that is gone. */
  #claimed(pointer = this.#pointer): { tenant?: string; bundle?: string } | undefined {
    return pointer === undefined ? undefined : claimsOf(this.#read(pointer).newest);
  }

  /** The newest revision that the pointer names, if it is one. */
  #claimedToken(): string | undefined {
    const { bundle } = this.#claimed() ?? {};
    return bundle === undefined || !isToken(bundle) ? undefined : bundle;
  }

  #read(pointer: string): ReturnType<typeof readPointer> {
    try {
      return readPointer(pointer);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      throw new UsageError(`${error.detail} Remove it from "${this.options.folder.path}", or name another folder.`);
    }
  }

  /** The keys that the cloud serves, which are published, too. They are asked for again if one is unknown. */
  async #currentKeys(kid?: string): Promise<ServedKeys> {
    const known = this.#keys;
    if (known !== undefined && (kid === undefined || known.keys.some((key) => key.kid === kid))) return known;
    const keys = readServedKeys(await this.options.feed.keys());
    this.#keys = keys;
    return keys;
  }

  /** Begins with a whole bundle: there is none, or the cloud does not know what has changed since. */
  async #begin({ revision, bytes, newest, diverged }: FeedAnswer): Promise<void> {
    const before = this.#claimedToken();
    const isOlder = before !== undefined && compareTokens(revision, before) < 0;
    // Agents that read files do not hear of it: to them, a later number of an epoch is a later revision.
    const isOther = diverged && before !== undefined && splitToken(revision).epoch === splitToken(before).epoch;
    if ((isOlder || isOther) && !this.options.allowRollback) {
      const fault = isOlder ? 'is older than' : 'comes from a history without';
      throw new ProblemError(
        'invalid_bundle',
        `The cloud has revision ${revision}, which ${fault} the published revision ${before}: nothing is published. If the cloud was restored on purpose, have it declare an epoch, or add --allow-rollback.`,
      );
    }
    const next = await this.#withBundle(revision, bytes, newest);
    // They lead to what the cloud has lost.
    if (isOlder || isOther) await this.options.folder.removeChanges(next.kid, revision);
    this.#state = next;
  }

  async #withBundle(revision: string, bytes: Uint8Array, newest: string): Promise<PublishedState> {
    const { keys } = await this.#currentKeys(keyIdOf(newest));
    const checked = await checkedBundle(bytes, keys);
    if (checked.revision !== revision || checked.kid !== keyIdOf(newest))
      throw contradicts(`bundle of revision ${revision}`);
    const isGood = async (placed: Buffer) => (await checkedBundle(placed, keys)).revision === revision;
    await this.#put(bundlePath(checked.kid, revision), bytes, isGood);
    return begunWith(checked, bytes);
  }

  /** Puts a file in place. One that is there stays, unless it was damaged since: then `isGood` is false, or throws. */
  async #put(path: string, bytes: Uint8Array, isGood: (placed: Buffer) => Promise<boolean>): Promise<void> {
    const { folder } = this.options;
    if (await folder.add(path, bytes)) return;
    const placed = await folder.read(path);
    if (placed !== undefined && (await isGood(placed).catch(() => false))) return;
    await folder.remove(path);
    await folder.add(path, bytes);
  }

  /**
   * Publishes what has changed since the published revision. If another publisher has put changes from there in place, these
   * are followed instead, and the cloud is asked for what comes after them.
   */
  async #advance(answer: FeedAnswer): Promise<FeedAnswer> {
    const state = this.#state as PublishedState;
    let next = answer;
    while (next.is === 'delta') {
      const base = state.newest;
      await this.#place(base, next, state.kid);
      if (!(await this.#followPlaced(state))) throw contradicts(`changes from revision ${state.newest}`);
      if (state.newest === next.revision) return next;
      next = await this.options.feed.ask(state.newest);
      await this.#verified(next);
      if (!next.diverged) continue;
      // What was in place leads to a past that the cloud has lost since. The base is of its past, so that nothing goes back.
      await this.options.folder.remove(deltaPath(state.kid, base));
      next = { ...next, diverged: false };
    }
    if (next.is === 'bundle') await this.#begin(next);
    return next;
  }

  async #place(base: string, { bytes, revision }: FeedAnswer, wanted: string): Promise<void> {
    const { keys } = await this.#currentKeys();
    const { kid, revision: to } = await checkedDelta(bytes, base, keys);
    if (kid !== wanted || to !== revision) throw contradicts(`changes from revision ${base}`);
    await this.#put(deltaPath(kid, base), bytes, (placed) => checkedDelta(placed, base, keys).then(() => true));
  }

  /** Whether the whole bundle is behind, and it is time to write another. */
  #wantsWhole(quiet: boolean): boolean {
    const { bundle, newest, bundleBytes, changes } = this.#state as PublishedState;
    const { smallBytes, changes: count, share } = this.options.wholeBundles ?? WHOLE_BUNDLES;
    if (bundle === newest) return false;
    return quiet || bundleBytes <= smallBytes || changes.count > count || changes.bytes > bundleBytes * share;
  }

  /**
   * Publishes a later whole bundle, without agents that follow the changes having to read it: what leads from the published
   * revision and from that bundle must meet. If it does not, the bundle before stays, and a later round tries again.
   */
  async #renewWhole(): Promise<void> {
    const { feed } = this.options;
    const state = this.#state as PublishedState;
    const whole = await feed.ask(undefined);
    await this.#verified(whole);
    if (whole.revision === state.newest) {
      this.#state = await this.#withBundle(whole.revision, whole.bytes, whole.newest);
      return await this.#point(whole.newest);
    }
    for (let tries = 0; tries < JOIN_TRIES; tries++) {
      const here = await feed.ask(state.newest);
      const there = await feed.ask(whole.revision);
      if (here.is !== 'delta' || there.is === 'bundle') return;
      if (here.revision !== there.revision) continue;
      await this.#verified(here);
      const next = await this.#withBundle(whole.revision, whole.bytes, whole.newest);
      await this.#place(state.newest, here, state.kid);
      if (there.is === 'delta') await this.#place(whole.revision, there, next.kid);
      while (next.newest !== here.revision && (await this.#followPlaced(next)));
      if (next.newest !== here.revision) return;
      await this.#followPlaced(state);
      if (state.newest !== here.revision) return;
      this.#state = next;
      return await this.#point(here.newest);
    }
  }

  #isLater(pointer: string | undefined, revision: string): boolean {
    const { bundle = '' } = this.#claimed(pointer) ?? {};
    return isToken(bundle) && compareTokens(bundle, revision) > 0;
  }

  /** Caches may hold a pointer for a while after another has replaced it. */
  async #keepReplaced(pointer: string): Promise<void> {
    const { newest, bundle } = this.#read(pointer);
    const { kid, bundle: next } = this.#state as PublishedState;
    const before = keyIdOf(newest);
    if (before === undefined || (before === kid && bundle === next)) return;
    await this.options.folder.keepFrom(before, bundle);
  }

  /** Writes the keys, if they have changed, and the pointer. */
  async #point(newest: string): Promise<void> {
    const { folder } = this.options;
    const state = this.#state as PublishedState;
    // The files are in the folder of the key that has signed the pointer.
    if (keyIdOf(newest) !== state.kid) throw contradicts(`statement about revision ${state.newest}`);
    // Another publisher may have been faster; its pointer is taken over in the next round.
    const there = await folder.readPointer();
    if (there !== this.#pointer && this.#isLater(there, state.newest)) return;
    const { keys, announcements } = await this.#currentKeys(keyIdOf(newest));
    const keysText = `${JSON.stringify({ keys, announcements }, undefined, 2)}\n`;
    if (keysText !== this.#keysText) await folder.writeKeys(keysText);
    this.#keysText = keysText;
    const text = pointerText({ newest, bundle: state.bundle });
    if (there !== undefined) await this.#keepReplaced(there);
    await folder.writePointer(text);
    this.#pointer = text;
    this.#published = state.newest;
  }
}

function begunWith({ tenant, kid, revision }: CheckedArchive, { length }: Uint8Array): PublishedState {
  return { tenant, kid, bundle: revision, bundleBytes: length, newest: revision, changes: { count: 0, bytes: 0 } };
}

function contradicts(what: string): ProblemError {
  return new ProblemError('invalid_bundle', `The cloud's ${what} is not what it says: it is asked again.`);
}
