import { ServiceError } from '@authz-service/sdk/service-error';

/** Resolves with what was asked for, or with undefined if there is none; rejects with any other error. */
export async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}
