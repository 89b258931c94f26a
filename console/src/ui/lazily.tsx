import { type ComponentType, type FunctionComponent, useEffect, useState } from 'react';
import { text } from '../text/english.js';
import { ProblemNote } from './problem-note.js';

/**
 * A component whose code loads when it is first shown. Where that fails, as while the service restarts, it says so in
 * its place and can be asked again: what else the page holds stays as it is.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  const loading = async () => {
    Loaded ??= await load();
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each component, where modules begin.
  function Lazily(props: Props) {
    const [failed, setFailed] = useState(false);
    const [, setLoaded] = useState(false);
    const attempt = () => {
      setFailed(false);
      loading().then(
        () => setLoaded(true),
        () => setFailed(true),
      );
    };
    useEffect(attempt, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (failed) return <ProblemNote title={text.errors.notLoaded} detail={text.errors.notLoadedWhy} retry={attempt} />;
    return <p role="status">{text.common.loading}</p>;
  }
  // The router waits for this before it shows the page, so that the one before stays until then.
  Lazily.preload = () => loading().catch(() => undefined);
  return Lazily;
}
