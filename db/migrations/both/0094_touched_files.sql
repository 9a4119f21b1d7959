-- files that a run changed, as JSON: [["src/app.ts", time], ...], the newest first
alter table runs add column files text
