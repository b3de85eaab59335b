export const throwAwayClass = {
  group: 'throw-away.example',
  version: 'v1',
  kind: 'ThrowAwayNodeClass',
  plural: 'throwawaynodeclasses',
  optional: true,
};
