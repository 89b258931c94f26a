import { ServiceError } from './service-error.js';

/**
 * A base address without a slash at its end. Throws `invalid_config`, naming the setting it comes `from`; the text is
 * quoted only where it holds no password.
 */
export function baseAddress(text: string, from?: string): string {
  const refused = (fault: string, subject = `"${text}"`) =>
    new ServiceError('invalid_config', `${from === undefined ? '' : `${from}: `}${subject} ${fault}`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused('is no URL: write it like "http://127.0.0.1:8080".', text.includes('@') ? UNQUOTED : undefined);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('holds a user name or a password: leave them out.', UNQUOTED);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused('is no http or https address: write it like "http://127.0.0.1:8080".');
  }
  if (url.search !== '' || url.hash !== '') {
    throw refused('holds a query or a fragment: give the base address alone.');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

const UNQUOTED = 'The service URL';
