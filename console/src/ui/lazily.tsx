import { type ComponentType, type FunctionComponent, type ReactNode, useEffect, useState } from 'react';
import { text } from '../text/english.js';
import { ProblemNote } from './problem-note.js';

/** The time that code may take before it counts as not loaded. */
const ANSWER_MS = 10_000;

/**
 * A component whose code loads when it is first shown. Where that fails, as while the service restarts, it says so in
 * its place, within `Around` if there is one, and can be asked again: what else the page holds stays as it is.
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Around?: ComponentType<Props & { children: ReactNode }>,
): FunctionComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  const loading = async () => {
    Loaded ??= await load();
  };
  function Lazily(props: Props) {
    const [failed, setFailed] = useState(false);
    const [, setLoaded] = useState(false);
    const attempt = () => {
      setFailed(false);
      loading().then(
        () => setLoaded(true),
        () => setFailed(true),
      );
      // A service that is gone may also not answer at all. What comes later is still shown.
      setTimeout(() => setFailed(true), ANSWER_MS);
    };
    useEffect(attempt, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (failed) {
      const note = <ProblemNote title={text.errors.notLoaded} detail={text.errors.notLoadedWhy} retry={attempt} />;
      return Around === undefined ? note : <Around {...props}>{note}</Around>;
    }
    return <p role="status">{text.common.loading}</p>;
  }
  // The router waits for this before it shows the page, so that the one before stays until then.
  Lazily.preload = () => loading().catch(() => undefined);
  return Lazily;
}
