/** The activities of the lifecycle. Their code is loaded when one of them is first called; a test compares the names. */
export const activityNames = [
  'choose',
  'beginCreate',
  'pollCreate',
  'findCreated',
  'advance',
  'close',
  'discard',
  'pollDiscard',
  'fail',
  'beginTerminate',
  'launchStopped',
  'drain',
  'finish',
] as const;

export type ActivityName = (typeof activityNames)[number];
