/**
 * The steps of workflows that act for one provider. The bundle of each provider is built from this file: it holds no other provider's code,
 * and its role has no other provider's rights.
 */
import type { Context } from 'aws-lambda';
import { handleActivity } from '../handlers/activity.ts';

/** The build puts the type of the provider here. */
declare const providerType: string;

export const handler = (event: unknown, context: Context): Promise<unknown> =>
  handleActivity(providerType, event, context);
