-- Requests of clients in the time that is running, counted by all processes together. Lost in a crash, which costs nobody anything.
create unlogged table request_windows (
  client text not null primary key,
  used bigint not null,
  ends_at bigint not null
);
--> statement-breakpoint
create index request_windows_ended on request_windows (ends_at);
