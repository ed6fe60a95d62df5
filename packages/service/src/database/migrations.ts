/** A step of the schema. Steps are only ever added at the end; one that was released is never changed. */
export type Migration = { readonly id: number; readonly name: string; readonly statements: readonly string[] }

/** Plain SQL that PGlite and PostgreSQL both run. Money is micro-USD in whole numbers. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'ledger',
    statements: [
      `create table account (
         id bigint generated always as identity primary key,
         name text not null unique,
         kind text not null check (kind in ('wallet', 'key')),
         balance bigint not null default 0 check (balance >= 0),
         entries bigint not null default 0,
         created_at timestamptz not null
       )`,
      // numbered without gaps within the account, so that each entry can be held against the one before it
      `create table entry (
         id text primary key,
         account_id bigint not null references account (id),
         number bigint not null check (number > 0),
         amount bigint not null check (amount <> 0),
         balance_after bigint not null check (balance_after >= 0),
         type text not null,
         created_at timestamptz not null,
         request_id text,
         model_id text,
         unique (account_id, number)
       )`,
      `create function refuse_change() returns trigger language plpgsql as $$
       begin
         raise exception 'entries of the ledger are never changed';
       end $$`,
      `create trigger entry_append_only before update or delete on entry for each row execute function refuse_change()`,
      `create trigger entry_no_truncate before truncate on entry for each statement execute function refuse_change()`,
    ],
  },
  {
    id: 2,
    name: 'payments, nonces and idempotency',
    statements: [
      `create table payment (
         id text primary key,
         network text not null,
         asset text not null,
         payer text not null,
         nonce text not null,
         amount bigint not null check (amount > 0),
         settled_by text not null,
         transaction_hash text not null,
         entry_id text not null unique references entry (id) deferrable initially deferred,
         created_at timestamptz not null,
         unique (network, asset, payer, nonce)
       )`,
      `create table siwx_nonce (
         address text not null,
         nonce text not null,
         expires_at timestamptz not null,
         primary key (address, nonce)
       )`,
      `create index siwx_nonce_expires_at on siwx_nonce (expires_at)`,
      `create table idempotency (
         account_id bigint not null references account (id),
         operation text not null,
         key text not null,
         fingerprint text not null,
         entry_id text not null references entry (id) deferrable initially deferred,
         created_at timestamptz not null,
         primary key (account_id, operation, key)
       )`,
      `create index idempotency_created_at on idempotency (created_at)`,
    ],
  },
]
