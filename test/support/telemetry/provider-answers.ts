/** What models answered, with the usage as the API of each provider names it. */

export interface Answer {
  provider: string;
  flavor?: string;
  model: string;
  usage: Record<string, unknown>;
}

const openAi = {
  prompt_tokens: 10_204,
  completion_tokens: 310,
  total_tokens: 10_514,
  prompt_tokens_details: { cached_tokens: 9000, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 0 },
};

export const anthropic = {
  input_tokens: 1204,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 9000,
  output_tokens: 310,
  service_tier: "standard",
};

const gemini = {
  promptTokenCount: 10_204,
  cachedContentTokenCount: 9000,
  candidatesTokenCount: 190,
  thoughtsTokenCount: 120,
  toolUsePromptTokenCount: 7,
  totalTokenCount: 10_521,
};

/** What models answered. The field names are those of the providers' APIs. */
export const answers = {
  chat: { provider: "openai", flavor: "chat", model: "gpt-4o", usage: openAi },
  audio: {
    provider: "openai",
    flavor: "chat",
    model: "gpt-4o-audio-preview",
    usage: {
      prompt_tokens: 300,
      completion_tokens: 120,
      total_tokens: 420,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 200 },
      completion_tokens_details: { audio_tokens: 100 },
    },
  },
  responses: {
    provider: "openai",
    flavor: "responses",
    model: "gpt-5.1-codex",
    usage: {
      input_tokens: 10_204,
      input_tokens_details: { cached_tokens: 9000 },
      output_tokens: 310,
      output_tokens_details: { reasoning_tokens: 120 },
      total_tokens: 10_514,
    },
  },
  "anthropic without lifetimes": { provider: "anthropic", model: "claude-sonnet-4-5", usage: anthropic },
  anthropic: {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: {
      ...anthropic,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    },
  },
  gemini: { provider: "google", model: "gemini-2.5-pro", usage: gemini },
  "gemini thoughts": {
    provider: "google",
    model: "gemini-2.5-pro",
    usage: { ...gemini, toolUsePromptTokenCount: 0, totalTokenCount: 10_514 },
  },
  vertex: {
    provider: "google",
    model: "gemini-2.5-flash",
    usage: {
      ...gemini,
      trafficType: "ON_DEMAND",
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 10_204 }],
    },
  },
  "claude on vertex": {
    provider: "google",
    flavor: "anthropic",
    model: "claude-sonnet-4-5",
    usage: anthropic,
  },
  bedrock: {
    provider: "aws",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    usage: {
      inputTokens: 1204,
      outputTokens: 310,
      totalTokens: 10_814,
      cacheReadInputTokens: 9000,
      cacheWriteInputTokens: 300,
    },
  },
  mistral: {
    provider: "mistral",
    model: "mistral-large-latest",
    usage: { prompt_tokens: 10_204, completion_tokens: 310, total_tokens: 10_514 },
  },
  "mistral cached": {
    provider: "mistral",
    model: "mistral-large-latest",
    usage: {
      prompt_tokens: 10_204,
      completion_tokens: 310,
      total_tokens: 10_514,
      prompt_tokens_details: { cached_tokens: 9000 },
    },
  },
  cohere: {
    provider: "cohere",
    model: "command-r-plus",
    usage: {
      billed_units: { input_tokens: 1204, output_tokens: 310 },
      tokens: { input_tokens: 1300, output_tokens: 315 },
    },
  },
  "cohere as counted": {
    provider: "cohere",
    flavor: "tokens",
    model: "command-r-plus",
    usage: { tokens: { input_tokens: 1300, output_tokens: 315 } },
  },
  deepseek: {
    provider: "deepseek",
    flavor: "chat",
    model: "deepseek-chat",
    usage: { ...openAi, prompt_cache_hit_tokens: 9000, prompt_cache_miss_tokens: 1204 },
  },
  grok: {
    provider: "x-ai",
    flavor: "chat",
    model: "grok-4",
    usage: {
      prompt_tokens: 10_204,
      completion_tokens: 190,
      total_tokens: 10_514,
      prompt_tokens_details: { cached_tokens: 9000 },
      completion_tokens_details: { reasoning_tokens: 120 },
    },
  },
} as const satisfies Record<string, Answer>;
