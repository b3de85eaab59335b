/** The steps of workflows that belong to no provider. */
export { handleStep as handler } from '../handlers/activity.ts';
