/**
 * Queues of a platform don't bound what each cluster has waiting: this is for all of them together, so a cluster that sends too
 * much makes the intake refuse others too, until its events are handled. The resync finds what they would have told.
 */
export const maxReadyEvents = 100_000;
