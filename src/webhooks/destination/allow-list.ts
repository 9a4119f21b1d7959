/** What `SVC_WEBHOOK_ALLOW` names: destinations of webhooks besides public hosts. */
export interface AllowList {
  /** Hostnames, in lowercase. */
  names: readonly string[];
  /** Networks such as `10.0.0.0/8`. */
  networks: readonly string[];
}
