/** What each kind of message about a machine comes to: one table, after Karpenter's. */

interface InterruptionRule {
  /** The reason of the Event on claim and Node. */
  readonly event: string;
  readonly eventType: 'Normal' | 'Warning';
  /** `always`, or only where somebody asked for it (`poolwright.dev/rebalance`). */
  readonly endsClaim: 'always' | 'opt-in';
  /** The offering is passed over for a while: the next machine should not be the same. */
  readonly marksOffering: boolean;
  /**
   * It is said in advance, so a launch that has not written its machine down yet has to hear of it too. What has happened
   * already, the launch sees by itself.
   */
  readonly isWarning: boolean;
}

export const interruptionRules = {
  spot_interrupted: {
    event: 'SpotInterrupted',
    eventType: 'Warning',
    endsClaim: 'always',
    marksOffering: true,
    isWarning: true,
  },
  rebalance_recommendation: {
    event: 'SpotRebalanceRecommendation',
    eventType: 'Normal',
    endsClaim: 'opt-in',
    // Else the replacement could be the very same offering, and be told the same a minute later.
    marksOffering: true,
    isWarning: false,
  },
  instance_stopped: {
    event: 'InstanceStopping',
    eventType: 'Warning',
    endsClaim: 'always',
    marksOffering: false,
    isWarning: false,
  },
  instance_terminated: {
    event: 'InstanceTerminating',
    eventType: 'Warning',
    endsClaim: 'always',
    marksOffering: false,
    isWarning: false,
  },
  scheduled_change: {
    event: 'InstanceUnhealthy',
    eventType: 'Warning',
    endsClaim: 'always',
    marksOffering: false,
    isWarning: true,
  },
  capacity_reservation_interrupted: {
    event: 'CapacityReservationInterrupted',
    eventType: 'Warning',
    endsClaim: 'always',
    marksOffering: true,
    isWarning: true,
  },
} as const satisfies Record<string, InterruptionRule>;

/** The names are those that Karpenter has in its metrics. */
export type InterruptionKind = keyof typeof interruptionRules;
