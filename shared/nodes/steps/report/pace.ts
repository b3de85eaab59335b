/** How often the same news is told. */

/** Events are kept for an hour at most, so that what lasts has to be told now and then; until then nothing more under that reason. */
export const tellAgainSeconds = 1800;

/** What lasts is said again, before its Event and its decision are forgotten: a little later than Events may be told again. */
export const lastingMs = (tellAgainSeconds + 60) * 1000;
