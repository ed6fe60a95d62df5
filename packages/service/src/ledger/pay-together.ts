/** The day's credit first, then USD: what an account can pay with. `$2` time, `$3` start of the day. */
export const purse = `
  select balance - held as usd, greatest(0, diem_daily - spent) as diem, spent
  from (select case when diem_day = $3::timestamptz::date then diem_spent else 0 end as spent) today`

/**
 * The accounts of what is `ready` are locked in one order, and each pays in the order of `place`, as far as its credit goes. As in the statements for one,
 * all that is written follows from the rows that were locked. `paid`: what was paid for, and where that leaves its account; `last`: where it leaves
 * each account in the end.
 */
export const payReady = `
  locked as (
    select * from account where name = any (array(select account from ready)) order by id for no key update
  ), paid as (
    select *, least(upto, diem) - least(upto - amount, diem) as from_diem, spent + least(upto, diem) as spent_after,
      upto - least(upto, diem) as usd_upto
    from (
      select ready.*, id, balance, held, entries, (sum(amount) over so_far)::bigint as upto, row_number() over so_far as nth, purse.*
      from ready join locked on name = account cross join lateral (${purse}) purse window so_far as (partition by id order by place)
    ) summed where upto <= usd + diem
  ), last as (
    select distinct on (id) * from paid order by id, nth desc
  )`

/** Of an account that pays for `last`. */
export const spendDiem = 'diem_day = $3::timestamptz::date, diem_spent = spent_after'
