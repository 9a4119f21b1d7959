/** A model that the demo team subscribes to. */
export interface DemoModel {
  id: string;
  provider: string;
  subscription: string;
  /** The agent that uses it. */
  agent: string;
  lanes: number[];
  /** List price in USD per million tokens. */
  price: { in: number; out: number; cacheRead: number; cacheWrite: number };
  /** Days before now; null when it has not been added yet. */
  onboarded: number | null;
  refreshed: number | null;
}

export const models: DemoModel[] = [
  {
    id: "claude-sonnet-4-5",
    provider: "anthropic",
    subscription: "anthropic-team",
    agent: "agent:claude-code",
    lanes: [1, 2],
    price: { in: 3, out: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    onboarded: 118,
    refreshed: 8,
  },
  {
    id: "claude-haiku-4-5",
    provider: "anthropic",
    subscription: "anthropic-team",
    agent: "agent:claude-code",
    lanes: [0],
    price: { in: 1, out: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    onboarded: 92,
    refreshed: 15,
  },
  {
    id: "gpt-5.1-codex",
    provider: "openai",
    subscription: "openai-seats",
    agent: "agent:codex",
    lanes: [1],
    price: { in: 1.25, out: 10, cacheRead: 0.125, cacheWrite: 0 },
    onboarded: 71,
    refreshed: 44,
  },
  {
    id: "gemini-2.5-pro",
    provider: "google",
    subscription: "google-usage",
    agent: "agent:gemini-cli",
    lanes: [0, 1],
    price: { in: 1.25, out: 10, cacheRead: 0.31, cacheWrite: 0 },
    onboarded: 12,
    refreshed: 12,
  },
  {
    id: "devstral-medium",
    provider: "mistral",
    subscription: "mistral-usage",
    agent: "agent:vibe",
    lanes: [0],
    price: { in: 0.4, out: 2, cacheRead: 0.04, cacheWrite: 0 },
    onboarded: null,
    refreshed: null,
  },
];
