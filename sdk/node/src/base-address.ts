import { ProblemError } from '@authz-service/core/problem';

/** A base address without a slash at its end. Throws `invalid_config`; the text is quoted only where it holds no password. */
export function baseAddress(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    const shown = text.includes('@') ? 'The service URL' : `"${text}"`;
    throw new ProblemError('invalid_config', `${shown} is no URL: write it like "http://127.0.0.1:8080".`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ProblemError('invalid_config', 'The service URL holds a user name or a password: leave them out.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ProblemError('invalid_config', `"${text}" is no http or https address: write "http://127.0.0.1:8080".`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ProblemError('invalid_config', `"${text}" holds a query or a fragment: give the base address alone.`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
