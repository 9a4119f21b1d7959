-- one-time links that sign in an admin, by the hash of their secret; a row is deleted when its link is used
create table sign_in_links (
  hash text not null primary key,
  actor text not null,
  expires_at integer not null
) strict;
--> statement-breakpoint
-- Where someone has signed in before, `svc serve` prints no link.
insert into settings (name, value)
select 'first_sign_in', cast(min(opened_at) as text) from sessions having count(*) > 0;
