-- `agent_at`: when a hook or an MCP session of an agent first used a token; null: none has yet.
alter table tokens add column agent_at bigint;
