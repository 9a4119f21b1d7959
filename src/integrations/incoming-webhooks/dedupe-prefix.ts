/** Dedupe keys of webhooks begin so; `github:` keys are those of GitHub, from before there were others. */

import type { SourceRepository } from "../../core/forges/schema.ts";
import { webhookKeyPrefix } from "../../feed/reserved-keys.ts";

/** A change is known once per forge and host, whatever webhook tells it. */
export const repositoryKeyPrefix = ({ forge, host }: SourceRepository): string =>
  `${webhookKeyPrefix}${forge}:${host}:`;
