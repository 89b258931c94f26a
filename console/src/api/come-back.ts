const KEY = 'console-come-back';
const HOME = '/console/';

/** Remembers the page for `comeBack`: the identity provider sends everybody back to the first page. */
export function comeBackHere(): void {
  const { pathname, search } = location;
  if (pathname !== '/console/sign-in') sessionStorage.setItem(KEY, pathname + search);
}

/** Shows the page from which somebody went to sign in, once they are back. */
export function comeBack(): void {
  const kept = sessionStorage.getItem(KEY);
  if (location.pathname === '/console/sign-in') return;
  sessionStorage.removeItem(KEY);
  if (kept?.startsWith(HOME) && location.pathname === HOME && location.search === '')
    history.replaceState(history.state, '', kept);
}
