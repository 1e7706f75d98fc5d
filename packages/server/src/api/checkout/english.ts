// The texts of the checkout in English. Every other language has the texts that English has.

export const ENGLISH = {
  back: 'Back to the shop',
  opening: 'Opening the checkout…',
  needsScript:
    'This page needs JavaScript. Please turn it on, or go back to the shop and choose another payment method.',
  notStarted:
    'The checkout has not started. Your browser may be too old for it, or something blocks its script. Update the browser, or go back to the shop and choose another payment method.',
  cart: { title: 'Your order', total: 'Total', more: 'and {count} more' },
  plans: {
    title: 'What you pay',
    choose: 'Choose a payment plan',
    parts: '{count} payments of {each}',
    later: '{total} in one payment',
    today: 'Today',
    dueToday: '{today} today',
    nothingToday: 'Nothing today',
    total: 'Total',
    cost: 'Cost of credit',
    rate: 'Annual rate (APR)',
    wrong: 'This plan is no longer available. Please choose another.',
  },
  person: {
    title: 'Your details',
    about: 'About you',
    address: 'Your address',
    again:
      'The page was reloaded. Please enter your details again. For your safety, your browser does not store them.',
    send: 'Send me a code',
    sending: 'Sending…',
    optional: '(optional)',
    check: 'Please check the marked fields.',
    // `hint` is shown under the label, `wrong` in its place after a mistake.
    fields: {
      given_names: { label: 'First name', wrong: 'Enter your first name.' },
      surnames: { label: 'Surnames', wrong: 'Enter your surnames.' },
      dob_day: { label: 'Day', wrong: 'Check the day. The month may have fewer days.' },
      dob_month: { label: 'Month', wrong: 'Enter the month as a number from 1 to 12.' },
      dob_year: {
        label: 'Year',
        wrong: 'Check the year: four digits, for example 1980.',
      },
      mobile_phone: {
        label: 'Mobile phone',
        hint: 'We will send you a code by SMS',
        wrong: 'Enter a mobile phone number, for example 600 123 456.',
      },
      nin: {
        label: 'Number of your identity document',
        hint: 'For example DNI, NIE or passport',
        wrong: 'Check the identity number: 5 to 20 letters and digits.',
      },
      address: { label: 'Address', wrong: 'Enter your address.' },
      postal_code: { label: 'Postal code', wrong: 'Enter a valid postal code.' },
      city: { label: 'City', wrong: 'Enter your city.' },
    },
    twoSurnames: {
      label: 'Surnames',
      hint: 'Both surnames',
      wrong: 'Enter both of your surnames, or tick the box if you have only one.',
    },
    noMoreCodes: 'This number gets no more codes for now. Use another, or try again later.',
    tooYoung: 'You must be 18 or older.',
    oneSurname: 'I have one surname',
    spanishNin: {
      label: 'DNI or NIE',
      hint: 'With its letter',
      wrong: 'Check the DNI or NIE and its letter.',
    },
    birth: {
      title: 'Date of birth',
      hint: 'For example 27 3 1980',
      wrong: 'Enter your date of birth: day, month and year.',
    },
    privacy: {
      before: 'I have read and accept the ',
      link: 'privacy policy',
      after: '.',
      wrong: 'Accept the privacy policy to continue.',
    },
  },
  code: {
    title: 'Enter the code',
    text: 'We have sent a five-digit code to your phone {phone}.',
    label: 'Code',
    wrong: 'The code is wrong.',
    void: 'This code is no longer valid. Send another code.',
    ended: 'This code is no longer valid.',
    tries: { one: 'You have one try left.', many: 'You have {count} tries left.' },
    send: 'Confirm the code',
    sending: 'Checking…',
    again: 'Send another code',
    againIn: 'Send another code in {time}',
    sendingAgain: 'Sending…',
    noMore: 'No more codes can be sent for this order.',
    change: 'Change my details',
  },
  waits: {
    screening: 'Checking your details',
    confirmation: 'The shop is confirming',
    text: 'This usually takes a few seconds.',
    remaining: 'You will know in {time} at the latest',
    longTitle: 'This is taking longer than usual',
    longScreening:
      'You can keep waiting, or go back to the shop and choose another payment method.',
    longConfirmation:
      'You can keep waiting here, or leave: we keep asking the shop for some time. If it does not confirm the order by then, the order ends, and you get back what you have paid.',
  },
  verify: {
    title: 'Verify your identity',
    link: 'Verify my identity',
    text: 'Have your identity document ready. The check opens in a new tab. Afterwards you continue here.',
    again: 'Try again',
    opening: 'Opening…',
  },
  alternative: { send: 'Continue with this plan', sending: 'Sending…' },
  pay: {
    title: 'Pay {amount} by card',
    cards: 'Which card?',
    saved: 'Card ending in {digits}',
    expires: 'expires {expiry}',
    other: 'Another card',
    frame: 'Card form',
    failed: 'The payment did not go through. Try again, or use another card.',
  },
  ends: {
    finish: { title: 'Your order is confirmed', text: 'We are taking you back to the shop.' },
    show_on_hold: {
      title: 'Your order is being reviewed',
      text: 'The shop will let you know the result. You do not need to do anything else.',
    },
    show_conflict: {
      title: 'The shop could not accept the order',
      text: 'Go back to the shop and try again. If you have paid, you will get your money back.',
    },
    reject: {
      title: 'We cannot offer you this payment method',
      text: 'Go back to the shop and choose another one.',
    },
    show_error: { title: 'Something went wrong', text: 'Go back to the shop and try again.' },
  },
  troubles: {
    offline:
      'You are offline, or the connection is weak. We keep trying. Please leave this page open.',
    slow: 'This is taking a while. Please wait.',
    busy: 'The service is busy. We try again in {seconds}\u00a0s.',
    refused: 'This could not be sent. Please try again.',
    unknown: 'This checkout could not be opened. Go back to the shop and try again.',
  },
  closed: {
    title: 'This checkout is not open yet',
    text: 'You cannot pay here yet. Go back to the shop and choose another payment method.',
    missing: 'For the operator of this service: these settings are missing:',
  },
  legal: {
    title: 'Before you order',
    lender: 'Lender',
    provider: 'Payment service',
    conditions: 'Conditions',
    preContract: 'Pre-contract information',
    withdrawal: 'Right of withdrawal',
    person: 'To talk to a person',
    plan: 'Your plan',
    binding: 'By paying, you place an order with an obligation to pay {today} today.',
  },
  rejection: {
    automated: 'This was decided automatically.',
    byPerson: 'A person decided this.',
    contact: 'If a person should look at it again:',
  },
}

export type CheckoutTexts = typeof ENGLISH
