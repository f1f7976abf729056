//! Every sentence for signers, on pages and in letters, in Lithuanian and English side by side: a
//! sentence without one of them does not compile.

/// Writes the catalogue: `name: Lithuanian, English;`.
macro_rules! messages {
    ($($name:ident: $lithuanian:literal, $english:literal;)+) => {
        /// Every sentence in one language, by its use. Placeholders are in braces.
        #[allow(missing_docs, reason = "the sentences say what they are for")]
        #[derive(Debug)]
        pub struct Messages {
            $(pub $name: &'static str,)+
        }

        pub(crate) static LITHUANIAN: Messages = Messages { $($name: $lithuanian,)+ };
        pub(crate) static ENGLISH: Messages = Messages { $($name: $english,)+ };

        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $lithuanian, $english),)+];
    };
}

messages! {
    page_title: "Dokumento pasirašymas", "Sign a document";
    skip_to_content: "Pereiti prie turinio", "Skip to content";
    asks_you_to_sign: "prašo jūsų pasirašyti:", "asks you to sign:";
    asked_you_to_sign: "prašė jūsų pasirašyti:", "asked you to sign:";
    registered_name: "Registruotas pavadinimas", "Registered name";
    sign_by: "Pasirašyti iki", "Sign by";
    wanted_by: "Prašoma pasirašyti iki", "Please sign by";
    sign_at_latest: "Pasirašyti galima iki", "You can sign until";
    to_signing: "Pereiti prie pasirašymo", "Go to signing";
    document: "Dokumentas", "Document";
    open_document: "Atsisiųsti dokumentą", "Download the document";
    members: "Pasirašote visus šiuos failus:", "You are signing all of these files:";
    members_unknown: "Failų sąrašo parodyti nepavyko. Atsisiųskite dokumentą arba atnaujinkite puslapį.", "The list of files could not be loaded. Download the document, or reload the page.";
    members_not_shown: "Kai kurių failų čia parodyti negalime. Prieš pasirašydami paspauskite tokio failo pavadinimą, atsisiųskite failą ir jį perskaitykite.", "Some of the files cannot be shown here. Before you sign, select the name of such a file to download it, and read it.";
    save_member: "Atsisiųsti failą", "Download the file";
    main_member: "pagrindinis dokumentas", "main document";
    attachment: "priedas", "attachment";
    metadata: "duomenys apie dokumentą", "information about the document";
    fingerprint: "SHA-256 santrauka", "SHA-256 digest";
    signatures: "Dokumente jau esantys parašai: informacinis patikrinimas", "Signatures already in the document: advisory check";
    signatures_explained: "Šis patikrinimas tik informacinis: jis parodo, ar pasirašytas turinys vėliau nebuvo pakeistas. Kas pasirašė ir ar sertifikatai tuo metu galiojo, čia netikrinama; tam skirtos kvalifikuotos elektroninių parašų galiojimo patvirtinimo paslaugos.", "This check is advisory: it shows whether the signed content has been changed since. It does not check who signed, or whether their certificates were valid at the time; qualified validation services do that.";
    signatures_unknown: "Dokumente jau yra parašų, bet jų patikrinti nepavyko. Pasirašyti jums tai netrukdo.", "The document already has signatures, but they could not be checked. You can still sign it.";
    unnamed_signer: "Pasirašęs asmuo nenurodytas", "Signer not named";
    claimed_time: "nurodytas laikas", "claimed time";
    no_claimed_time: "laikas nenurodytas", "no time given";
    time_stamped: "su laiko žyma", "with a time-stamp";
    intact: "parašas nepažeistas", "signature intact";
    not_intact: "parašas pažeistas", "signature not intact";
    uncheckable: "parašo čia patikrinti negalima", "signature cannot be checked here";
    more_signatures: "Dar parašų:", "More signatures:";
    other_language: "English", "Lietuviškai";
    sandbox: "Bandomoji aplinka: čia niekas nepasirašoma.", "Test environment: nothing is signed here.";
    how_to_sign: "Kaip pasirašysite?", "How will you sign?";
    smart_id: "Smart-ID", "Smart-ID";
    mobile_id: "Mobilusis parašas (Mobile\u{2011}ID)", "Mobile-ID";
    card: "Asmens tapatybės kortelė (NFC)", "ID card (NFC)";
    card_explained: "Kortelę nuskaitysite telefonu, kuris turi NFC ir kuriame įdiegta programėlė „{app}“. Turėkite po ranka kortelės PIN kodą ir CAN numerį\u{a0}– šešis skaitmenis kortelės priekyje.", "You will read the card with a phone that has NFC and the {app} app. Have the card’s PIN and its CAN ready: the CAN is the six digits on the front of the card.";
    get_card_app: "Atsisiųsti programėlę „{app}“:", "Get the {app} app:";
    show_card_code: "Rodyti susiejimo kodą", "Show the pairing code";
    pair_card: "Jei programėlė „{app}“ yra kitame telefone, joje nuskaitykite arba įveskite šį kodą. Tada priglauskite kortelę prie to telefono.", "If the {app} app is on another phone, scan this code with it or type in the code. Then hold the card against that phone.";
    pair_with_phone: "Telefone atverkite programėlę „{app}“ ir joje nuskaitykite arba įveskite šį kodą. Tada priglauskite kortelę prie telefono.", "Open the {app} app on your phone, and scan this code with it or type in the code. Then hold the card against the phone.";
    code_to_scan: "QR kodas", "QR code";
    pairing_code: "Susiejimo kodas", "Pairing code";
    pairing_code_until: "Kodas galioja iki {time}.", "The code is valid until {time}.";
    open_card_app: "Atverti programėlę „{app}“ šiame įrenginyje", "Open the {app} app on this device";
    pair_page: "Atverkite programėlę „{app}“", "Open the {app} app";
    pair_page_explained: "Šis adresas skirtas programėlei „{app}“, kuria telefonu nuskaitoma asmens tapatybės kortelė. Jei programėlė neatsivėrė, atverkite ją ir įveskite šį kodą.", "This address is for the {app} app, which reads your ID card with the phone. If the app did not open, open it and type in this code.";
    pair_page_code_until: "Iki kada kodas galioja, nurodyta pasirašymo puslapyje.", "The signing page shows how long the code is valid.";
    pair_page_way_back: "Pasirašę grįžkite į pasirašymo puslapį: jame matysite, ar dokumentas pasirašytas. Šį puslapį galite užverti.", "When you have signed, go back to the signing page to see the result. You can close this page.";
    phone_number: "Telefono numeris", "Phone number";
    phone_number_hint: "Pavyzdžiui, +370\u{a0}600\u{a0}00000", "For example, +370\u{a0}600\u{a0}00000";
    phone_number_fault: "Tai ne mobiliojo telefono numeris. Įrašykite jį su šalies kodu, pavyzdžiui, +370\u{a0}600\u{a0}00000.", "This is not a mobile number. Include the country code, for example +370\u{a0}600\u{a0}00000.";
    personal_code: "Asmens kodas", "Personal code";
    personal_code_hint: "11\u{a0}skaitmenų", "11 digits";
    personal_code_fault: "Asmens kodas neteisingas. Patikrinkite visus 11\u{a0}skaitmenų.", "This personal code is not valid. Check all 11 digits.";
    personal_code_doubt: "Asmens kodo paskutinis skaitmuo netinka prie kitų. Patikrinkite kodą; jei jis tikrai toks, dar kartą spauskite „Pasirašyti“.", "The last digit of this personal code does not fit the others. Check the code; if it is right, press Sign again.";
    country: "Šalis", "Country";
    subject_notice: "Jūsų asmens duomenys", "Your personal data";
    lithuania: "Lietuva", "Lithuania";
    latvia: "Latvija", "Latvia";
    estonia: "Estija", "Estonia";
    sign: "Pasirašyti", "Sign";
    or: "Be asmens kodo: atverkite Smart-ID programėlę šiame telefone arba nuskaitykite QR kodą kitu telefonu.", "Without a personal code: open the Smart-ID app on this phone, or scan a QR code with another phone.";
    or_by_scanning: "Be asmens kodo: nuskaitykite QR kodą telefonu, kuriame įdiegta Smart-ID programėlė.", "Without a personal code: scan a QR code with the phone that has the Smart-ID app.";
    open_app: "Pasirašyti be asmens kodo", "Sign without a personal code";
    scan_code: "Jei Smart-ID programėlė yra kitame telefone, ja nuskaitykite šį kodą. Kodas keičiasi kas sekundę: taip ir turi būti.", "If the Smart-ID app is on another phone, scan this code with it. The code changes every second, as it should.";
    scan_with_phone: "Nuskaitykite šį kodą savo telefono Smart-ID programėle. Kodas keičiasi kas sekundę: taip ir turi būti.", "Scan this code with the Smart-ID app on your phone. The code changes every second, as it should.";
    this_device: "Atverti Smart-ID šiame įrenginyje", "Open Smart-ID on this device";
    signing_paused: "Pasirašymas laikinai sustabdytas. Bandykite vėliau; jei vis tiek nepavyks, kreipkitės į nuorodos siuntėją.", "Signing is temporarily unavailable. Try again later; if that does not help, contact the person who sent you the link.";
    busy: "Dokumentą dabar pasirašo kitas asmuo. Palaukite čia: kai jis baigs, galėsite pasirašyti ir jūs.", "Someone else is signing the document right now. Wait here: you can sign as soon as they have finished.";
    busy_until: "Dokumentą dabar pasirašo kitas asmuo, ilgiausiai iki {time}. Palaukite čia: kai jis baigs, galėsite pasirašyti ir jūs.", "Someone else is signing the document right now, until {time} at the latest. Wait here: you can sign as soon as they have finished.";
    confirm_on_device: "Patvirtinkite savo įrenginyje", "Confirm on your device";
    preparing: "Ruošiame dokumentą pasirašyti…", "Preparing the document for your signature…";
    verification_code: "Kontrolinis kodas", "Verification code";
    compare_in_smart_id: "Jei telefone matote tą patį kodą, įveskite Smart-ID PIN2 kodą. Jei kodas kitas, nieko neįveskite ir spauskite „Nutraukti“.", "If your phone shows the same code, enter your Smart-ID PIN2. If it shows a different code, enter nothing and press “Cancel”.";
    compare_in_mobile_id: "Jei telefone matote tą patį kodą, įveskite mobiliojo parašo sPIN2 kodą (jei turite tik vieną sPIN kodą, įveskite jį). Jei kodas kitas, nieko neįveskite ir spauskite „Nutraukti“.", "If your phone shows the same code, enter your Mobile-ID sPIN2, or your sPIN if you have only one. If it shows a different code, enter nothing and press “Cancel”.";
    compare_in_card_app: "Jei programėlėje matote tą patį kodą, įveskite kortelės PIN kodą ir laikykite kortelę prie telefono. Jei kodas kitas, nieko neįveskite ir čia spauskite „Nutraukti“.", "If the app shows the same code, enter the card’s PIN and hold the card against the phone. If it shows a different code, enter nothing and press “Cancel” here.";
    completing: "Jūs jau pasirašėte. Pridedame laiko žymą…", "You have signed. Adding a time-stamp…";
    give_up: "Nutraukti", "Cancel";
    give_up_too_late: "Nutraukti nebegalima: jūsų įrenginyje jau pasirašyta. Jei pasirašyti nenorėjote, praneškite siuntėjui.", "It is too late to cancel: you have already signed on your device. If you did not want to sign, tell the sender.";
    give_up_failed: "Nutraukti nepavyko. Įrenginyje nieko neįveskite, patikrinkite ryšį ir spauskite „Nutraukti“ dar kartą.", "Signing could not be cancelled. Enter nothing on your device, check your connection and press “Cancel” again.";
    signed: "Pasirašyta", "Signed";
    signed_explained: "Dokumentas pasirašytas jūsų kvalifikuotu elektroniniu parašu.", "The document now carries your qualified electronic signature.";
    others_still_sign: "Siuntėjas mato, kad pasirašėte. Dokumentą dar turi pasirašyti kiti.", "The sender can see that you have signed. Others still have to sign.";
    others_have_signed: "Siuntėjas mato, kad pasirašė visi.", "Everyone has signed, and the sender can see that.";
    sender_sees: "Siuntėjas mato, kad pasirašėte.", "The sender can see that you have signed.";
    copy_by_mail_later: "Kai pasirašys visi, dokumentą gausite el.\u{a0}paštu.", "Once everyone has signed, you will get the document by email.";
    copy_by_mail: "Dokumentą gausite ir el.\u{a0}paštu.", "You will also get the document by email.";
    download_for: "Dokumentą čia galite atsisiųsti per 30\u{a0}minučių nuo pasirašymo.", "You can download the document here for 30 minutes after signing.";
    parties: "Kas pasirašo", "Signers";
    party_signed: "pasirašė", "has signed";
    party_declined: "atsisakė pasirašyti", "declined to sign";
    party_not_signed: "dar nepasirašė", "has not signed yet";
    party_never_signed: "nepasirašė", "did not sign";
    party_unnamed: "Vardas nenurodytas", "No name given";
    signed_by_all: "Pasirašė visi. Dokumentą čia galite atsisiųsti iki {time}.", "Everyone has signed. You can download the document here until {time}.";
    download: "Atsisiųsti dokumentą", "Download the document";
    not_signed: "Nepasirašyta", "Not signed";
    try_again: "Pradėti iš naujo", "Start again";
    decline: "Nenoriu pasirašyti", "I do not want to sign";
    decline_explained: "Siuntėjas matys, kad atsisakėte pasirašyti. Atsisakymo atšaukti negalėsite.", "The sender will see that you declined to sign. You cannot undo this.";
    reason: "Priežastis (neprivaloma)", "Reason (optional)";
    confirm_decline: "Atsisakyti pasirašyti", "Decline to sign";
    not_declined: "Atsisakyti nepavyko", "You have not declined";
    decline_not_sent: "Atsisakymas neišsiųstas. Patikrinkite ryšį ir spauskite „Atsisakyti pasirašyti“ dar kartą.", "Your refusal was not sent. Check your connection and press “Decline to sign” again.";
    reason_fault: "Tokios priežasties išsiųsti negalima: joje gali būti iki 500\u{a0}ženklų paprasto teksto. Pataisykite ją ir spauskite „Atsisakyti pasirašyti“ dar kartą.", "This reason cannot be sent: it can have up to 500 characters of plain text. Change it and press “Decline to sign” again.";
    signature_under_way: "Dokumentas šiuo metu pasirašomas, todėl atsisakyti dabar negalima. Palaukite minutę ir bandykite dar kartą.", "The document is being signed right now, so you cannot decline at the moment. Wait a minute and try again.";
    decline_unproven: "Naršyklė nepatvirtino, kad atsisakote šiame puslapyje. Įjunkite „JavaScript“ arba atverkite nuorodą kita naršykle.", "Your browser did not confirm that you declined on this page. Turn on JavaScript, or open the link in another browser.";
    back_to_page: "Grįžti į pasirašymo puslapį", "Back to the signing page";
    declined: "Atsisakėte pasirašyti", "You declined to sign";
    declined_explained: "Siuntėjui apie tai pranešta. Šį puslapį galite užverti.", "The sender has been notified. You can close this page.";
    connection_lost: "Ryšys nutrūko. Bandome prisijungti iš naujo…", "Connection lost. Reconnecting…";
    too_many_attempts: "Per daug bandymų. Palaukite ir bandykite vėliau.", "Too many attempts. Wait a while and try again.";
    too_many_attempts_for: "Per daug bandymų. Palaukite {minutes}\u{a0}min. ir bandykite dar kartą.", "Too many attempts. Wait {minutes}\u{a0}min and try again.";
    something_failed: "Nepavyko. Atnaujinkite puslapį ir bandykite dar kartą.", "That did not work. Reload the page and try again.";
    not_sent: "Nėra ryšio, todėl pasirašymas nepradėtas. Patikrinkite interneto ryšį ir bandykite dar kartą.", "There is no connection, so signing has not started. Check your internet connection and try again.";
    method_fault: "Šiuo būdu čia dabar pasirašyti negalima. Rinkitės kitą būdą.", "You cannot sign this way at the moment. Choose another method.";
    service_fault: "Mūsų sistema laikinai sutriko; jūsų nuoroda tebegalioja. Po minutės bandykite dar kartą.", "Something went wrong on our side; your link still works. Try again in a minute.";
    needs_script: "Kad galėtumėte pasirašyti, naršyklėje įjunkite „JavaScript“.", "To sign, turn on JavaScript in your browser.";
    dead_link: "Nuoroda neveikia", "This link does not work";
    dead_link_explained: "Ši nuoroda dar neveikia arba nebeveikia: jūsų eilė pasirašyti dar neatėjo, jau pasirašyta arba atsisakyta pasirašyti, baigėsi pasirašymo terminas arba prašymas pasirašyti atšauktas. Jei manote, kad tai klaida, kreipkitės į nuorodos siuntėją.", "This link does not work yet or no longer works: it may not be your turn to sign yet, the document may have been signed or declined, the time to sign may have run out, or the request may have been cancelled. If you think this is a mistake, contact the person who sent you the link.";
    closed_not_yet: "Jūsų eilė dar neatėjo", "It is not your turn yet";
    closed_not_yet_explained: "Pirmiau turi pasirašyti kiti. Ši nuoroda pradės veikti, kai ateis jūsų eilė: išsaugokite ją ir atverkite vėliau.", "Others have to sign first. This link will work when it is your turn: keep it and open it later.";
    closed_not_yet_mailed: "Pirmiau turi pasirašyti kiti. Kai ateis jūsų eilė, pranešime el.\u{a0}laišku ir ši nuoroda pradės veikti.", "Others have to sign first. We will email you when it is your turn, and this link will work from then on.";
    closed_signed: "Jūs jau pasirašėte", "You have already signed";
    closed_signed_explained: "Jums nieko daryti nebereikia. Jei reikia dokumento kopijos, kreipkitės į nuorodos siuntėją.", "There is nothing left for you to do. If you need a copy of the document, ask the person who sent you the link.";
    closed_declined_by_another: "Pasirašyti nebereikia", "You no longer need to sign";
    closed_declined_by_another_explained: "Kitas asmuo atsisakė pasirašyti šį dokumentą, todėl jūsų parašo nebereikia. Jums nieko daryti nereikia.", "Someone else declined to sign this document, so your signature is no longer needed. There is nothing for you to do.";
    closed_cancelled: "Prašymas pasirašyti atšauktas", "The request to sign was cancelled";
    closed_cancelled_explained: "Siuntėjas atšaukė prašymą pasirašyti šį dokumentą. Jums nieko daryti nereikia.", "The sender cancelled the request to sign this document. There is nothing for you to do.";
    closed_expired: "Pasirašymo terminas baigėsi", "The time to sign has run out";
    closed_expired_explained: "Ši nuoroda nebegalioja. Jei dokumentą vis dar norite pasirašyti, paprašykite siuntėjo naujos nuorodos.", "This link is no longer valid. If you still want to sign the document, ask the sender for a new link.";
    closed_failed: "Šio dokumento pasirašyti nebegalima", "This document can no longer be signed";
    closed_failed_explained: "Pasirašymas nutrūko dėl techninės klaidos; tai ne jūsų kaltė. Kreipkitės į nuorodos siuntėją: jis gali paprašyti pasirašyti iš naujo.", "Signing stopped because of a technical fault; you did nothing wrong. Contact the person who sent you the link: they can ask you to sign again.";
    closed_simulated: "Bandymas baigtas", "The test is over";
    trouble: "Puslapio parodyti nepavyko", "The page could not be shown";
    trouble_explained: "Mūsų sistema laikinai sutriko; jūsų nuoroda tebegalioja. Po minutės atverkite ją dar kartą.", "Something went wrong on our side; your link still works. Open it again in a minute.";
    details: "Išsamiau apie dokumentą", "Document details";
    document_scripts: "Dokumente yra „JavaScript“ programų. Čia jos neveikia, bet programa, kuria atversite atsisiųstą dokumentą, gali jas paleisti ir rodyti ne tai, ką rodo šis puslapis.", "The document contains JavaScript. It does not run here, but the program in which you open the downloaded document may run it and show something different from this page.";
    viewer_loading: "Atveriame dokumentą…", "Opening the document…";
    viewer_failed: "Dokumento čia parodyti nepavyko. Atsisiųskite jį ir perskaitykite savo įrenginyje, o tada grįžkite pasirašyti.", "The document cannot be shown here. Download it, read it on your device, then come back to sign.";
    viewer_locked: "Dokumentas apsaugotas slaptažodžiu, todėl čia jo parodyti negalime. Atsisiųskite jį ir perskaitykite savo įrenginyje, o tada grįžkite pasirašyti.", "The document is protected by a password and cannot be shown here. Download it, read it on your device, then come back to sign.";
    viewer_page: "{page}\u{a0}psl. iš {pages}", "Page {page} of {pages}";
    viewer_sheet: "{page}\u{a0}puslapis", "Page {page}";
    viewer_in: "Didinti", "Zoom in";
    viewer_out: "Mažinti", "Zoom out";
    viewer_large: "Per visą langą", "Full window";
    viewer_close: "Užverti", "Close";
    viewer_pages: "Dokumento puslapiai", "Pages of the document";
    smart_id_explained: "Programėlė telefone", "App on your phone";
    mobile_id_explained: "SIM kortelė ir sPIN kodas", "SIM card and sPIN";
    card_tile_explained: "Kortelė ir telefonas su NFC bei programėle „{app}“", "Card, and a phone with NFC and the {app} app";
    phase_certificate: "Tikriname jūsų sertifikatą…", "Checking your certificate…";
    phase_waiting: "Laukiame, kol patvirtinsite savo įrenginyje…", "Waiting for you to confirm on your device…";
    completing_explained: "Daugiau nieko daryti nereikia. Palaukite čia arba vėliau dar kartą atverkite nuorodą: jei pasirašyti nepavyks, puslapyje tai bus parašyta.", "There is nothing left for you to do. Wait here, or open the link again later: if the document could not be signed, the page will say so.";
    script_needed_only_to_sign: "Be „JavaScript“ galite atsisiųsti dokumentą arba atsisakyti pasirašyti.", "Without JavaScript you can download the document or decline to sign.";
    pair_page_code_missing: "Adrese nėra susiejimo kodo. Grįžkite į pasirašymo puslapį ir nuskaitykite kodą dar kartą.", "The address has no pairing code. Go back to the signing page and scan the code again.";
    months: "sausio|vasario|kovo|balandžio|gegužės|birželio|liepos|rugpjūčio|rugsėjo|spalio|lapkričio|gruodžio", "January|February|March|April|May|June|July|August|September|October|November|December";
    date_time: "{year}\u{a0}m. {month} {day}\u{a0}d. {time} (Vilniaus laiku)", "{day} {month} {year}, {time} (Vilnius time)";
    failed_bad_signature: "Įrenginio sukurtas parašas netinka šiam dokumentui. Bandykite dar kartą; jei tai pasikartos, rinkitės kitą būdą.", "The signature that your device made does not match this document. Try again; if it happens again, choose another method.";
    failed_cancelled: "Pasirašymas nutrauktas. Jei norite pasirašyti, pradėkite iš naujo.", "Signing was cancelled. If you want to sign, start again.";
    failed_smart_id_expired: "Jūsų Smart-ID paskyra nebegalioja. Smart-ID programėlėje susikurkite naują paskyrą arba rinkitės kitą būdą.", "Your Smart-ID account has expired. Create a new one in the Smart-ID app, or choose another method.";
    failed_mobile_id_expired: "Jūsų mobilusis parašas nebegalioja. Kreipkitės į savo mobiliojo ryšio operatorių arba rinkitės kitą būdą.", "Your Mobile-ID has expired. Contact your mobile operator, or choose another method.";
    failed_card_not_qualified: "Kortelėje nėra kvalifikuoto elektroninio parašo sertifikato. Kreipkitės į kortelę išdavusią įstaigą arba rinkitės kitą būdą.", "The card has no certificate for qualified signatures. Contact the authority that issued the card, or choose another method.";
    failed_card_expired: "Jūsų kortelės sertifikatas nebegalioja. Kreipkitės į kortelę išdavusią įstaigą arba rinkitės kitą būdą.", "The certificate on your card has expired. Contact the authority that issued the card, or choose another method.";
    failed_certificate_purpose: "Šis sertifikatas neskirtas dokumentams pasirašyti. Rinkitės kitą būdą.", "This certificate is not for signing documents. Choose another method.";
    failed_smart_id_revoked: "Jūsų Smart-ID paskyra panaikinta arba sustabdyta. Kreipkitės į Smart-ID klientų aptarnavimą arba rinkitės kitą būdą.", "Your Smart-ID account has been closed or suspended. Contact Smart-ID support, or choose another method.";
    failed_mobile_id_revoked: "Jūsų mobilusis parašas atšauktas arba sustabdytas. Kreipkitės į savo mobiliojo ryšio operatorių arba rinkitės kitą būdą.", "Your Mobile-ID has been revoked or suspended. Contact your mobile operator, or choose another method.";
    failed_card_revoked: "Jūsų kortelės sertifikatas atšauktas arba sustabdytas. Kreipkitės į kortelę išdavusią įstaigą arba rinkitės kitą būdą.", "The certificate on your card has been revoked or suspended. Contact the authority that issued the card, or choose another method.";
    failed_certificate_untrusted: "Jūsų sertifikato išdavėjas čia nepripažįstamas. Rinkitės kitą būdą.", "The issuer of your certificate is not accepted here. Choose another method.";
    failed_card_untrusted: "Šia kortele čia pasirašyti negalima: jos sertifikate turi būti Lietuvos asmens kodas, o išdavėjas turi būti čia pripažįstamas. Rinkitės kitą būdą.", "This card is not accepted here: its certificate must have a Lithuanian personal code and come from an issuer that is accepted here. Choose another method.";
    failed_document_changed: "Dokumentas pasikeitė: jį ką tik pasirašė kitas asmuo. Peržiūrėkite dokumentą ir, jei sutinkate, pasirašykite.", "The document has changed: someone else has just signed it. Read it again, and sign it if you agree.";
    failed_identity_mismatch: "Ši nuoroda skirta kitam asmeniui. Jei ji skirta jums, pasirašykite savo Smart-ID, mobiliuoju parašu arba asmens tapatybės kortele. Jei ne\u{a0}– nepasirašykite ir praneškite siuntėjui.", "This link is for someone else. If it was meant for you, sign with your own Smart-ID, Mobile-ID or ID card. If it was not, do not sign, and tell the sender.";
    failed_smart_id_device: "Nepavyko pasiekti jūsų Smart-ID programėlės arba ja pasirašyti negalima. Patikrinkite, ar telefonas įjungtas ir ar yra interneto ryšys, tada bandykite dar kartą. Jei nepavyks, rinkitės kitą būdą.", "Your Smart-ID app could not be reached or cannot sign. Check that your phone is on and connected to the internet, then try again. If that does not help, choose another method.";
    failed_mobile_id_device: "Nepavyko pasiekti jūsų telefono arba jo SIM kortele pasirašyti negalima. Patikrinkite, ar telefonas įjungtas ir ar yra mobilusis ryšys, tada bandykite dar kartą. Jei nepavyks, kreipkitės į savo mobiliojo ryšio operatorių arba rinkitės kitą būdą.", "Your phone could not be reached, or its SIM cannot sign with Mobile-ID. Check that the phone is on and has coverage, then try again. If that does not help, contact your mobile operator, or choose another method.";
    failed_card_device: "Kortele pasirašyti nepavyko. Bandykite dar kartą ir laikykite kortelę prie telefono, kol programėlė praneš, kad baigė. Jei nepavyks, rinkitės kitą būdą.", "The card could not sign. Try again, and hold the card against the phone until the app says that it has finished. If that does not help, choose another method.";
    failed_other_card: "Nuskaityta ne ta pati kortelė, kuria pradėjote, arba jos sertifikate nurodytas kitas asmens kodas, nei įvedėte. Bandykite dar kartą ir naudokite tik savo kortelę.", "This is not the card that was read first, or its certificate has a different personal code from the one you entered. Try again, and use only your own card.";
    failed_other_person: "Sertifikatas priklauso kitam asmeniui nei tas, kurio asmens kodą įvedėte. Patikrinkite šalį bei asmens kodą ir bandykite dar kartą.", "The certificate belongs to someone other than the person whose personal code you entered. Check the country and the personal code, and try again.";
    failed_other_number: "Sertifikatas priklauso kitam asmeniui nei tas, kurio duomenis įvedėte. Patikrinkite šalį, telefono numerį bei asmens kodą ir bandykite dar kartą.", "The certificate belongs to someone other than the person whose details you entered. Check the country, the phone number and the personal code, and try again.";
    failed_no_smart_id: "Neradome Smart-ID paskyros, kuria galima pasirašyti kvalifikuotu elektroniniu parašu. Patikrinkite šalį ir asmens kodą. Jei jie teisingi, rinkitės kitą būdą.", "No Smart-ID account that can make qualified signatures was found. Check the country and the personal code. If they are right, choose another method.";
    failed_no_mobile_id: "Neradome mobiliojo parašo (Mobile\u{2011}ID), kuriuo galima pasirašyti kvalifikuotu elektroniniu parašu. Patikrinkite telefono numerį ir asmens kodą. Jei jie teisingi, rinkitės kitą būdą.", "No Mobile-ID that can make qualified signatures was found. Check the phone number and the personal code. If they are right, choose another method.";
    failed_smart_id_unavailable: "Smart-ID paslauga šiuo metu neatsako. Bandykite po kelių minučių arba rinkitės kitą būdą.", "The Smart-ID service is not responding. Try again in a few minutes, or choose another method.";
    failed_mobile_id_unavailable: "Mobiliojo parašo (Mobile\u{2011}ID) paslauga šiuo metu neatsako. Bandykite po kelių minučių arba rinkitės kitą būdą.", "The Mobile-ID service is not responding. Try again in a few minutes, or choose another method.";
    failed_card_unavailable: "Nepavyko patikrinti kortelės sertifikato: jo išdavėjo paslauga šiuo metu neatsako. Bandykite po kelių minučių arba rinkitės kitą būdą.", "The certificate of your card could not be checked: its issuer’s service is not responding. Try again in a few minutes, or choose another method.";
    failed_plugin: "Dokumentas nepasirašytas: mūsų sistemai nepavyko jo apdoroti. Bandykite dar kartą po kelių minučių; jei tai pasikartos, praneškite siuntėjui.", "The document is not signed: our system could not process it. Try again in a few minutes; if it happens again, tell the sender.";
    failed_signing_in_progress: "Jūsų parašo pridėti nepavyko, nes dokumentą tuo metu pasirašė kitas asmuo. Palaukite, kol jis baigs, ir pradėkite iš naujo.", "Your signature could not be added because someone else was signing the document at the same time. Wait until they have finished, and start again.";
    failed_smart_id_timeout: "Nesulaukėme patvirtinimo Smart-ID programėlėje. Turėkite telefoną po ranka ir bandykite dar kartą.", "You did not confirm in the Smart-ID app in time. Have your phone ready and try again.";
    failed_mobile_id_timeout: "Nesulaukėme patvirtinimo mobiliuoju parašu. Turėkite telefoną po ranka ir bandykite dar kartą.", "You did not confirm with Mobile-ID in time. Have your phone ready and try again.";
    failed_card_timeout: "Nesulaukėme, kol pasirašysite kortele. Turėkite telefoną ir kortelę po ranka ir bandykite dar kartą.", "You did not sign with your card in time. Have your phone and card ready and try again.";
    failed_timestamp_unavailable: "Dokumentas nepasirašytas: nepavyko gauti parašui būtinos laiko žymos. Bandykite dar kartą po kelių minučių.", "The document is not signed: the time-stamp that your signature needs could not be obtained. Try again in a few minutes.";
    failed_user_refused: "Savo įrenginyje atsisakėte pasirašyti. Jei taip nutiko netyčia, bandykite dar kartą.", "You declined on your device. If that was a mistake, try again.";
    failed_wrong_code: "Įrenginyje pasirinkote ne tą kontrolinį kodą. Bandykite dar kartą ir palyginkite kodus.", "You chose a different verification code on your device. Try again and compare the codes.";
    letter_test_mark: "[BANDYMAS]", "[TEST]";
    letter_test_note: "Tai bandomasis laiškas: nieko pasirašyti nereikia ir negalima.", "This is a test email: there is nothing to sign, and nothing can be signed.";
    letter_your_turn: "Visi, kurie turėjo pasirašyti prieš jus, jau pasirašė. Dabar jūsų eilė.", "Everyone who had to sign before you has signed. Now it is your turn.";
    letter_done: "praneša, kad pasirašė visi:", "informs you that everyone has signed:";
    letter_attached: "pridėtas prie laiško", "attached to this email";
    letter_download: "Atsisiųsti", "Download";
    letter_download_until: "Atsisiųsti galima iki", "You can download it until";
    letter_greeting: "Sveiki!", "Hello,";
    letter_greeting_named: "Sveiki! Laiško gavėjas: {name}.", "Hello {name},";
    letter_reminds_you_to_sign: "primena, kad laukia jūsų parašo:", "reminds you to sign:";
    letter_has_called_off: "atšaukė prašymą pasirašyti:", "has cancelled the request to sign:";
    letter_nothing_to_do: "Jums nieko daryti nereikia. Ankstesnė nuoroda nebeveikia.", "There is nothing for you to do. The earlier link no longer works.";
    letter_sign: "Peržiūrėti ir pasirašyti", "Read and sign";
    letter_link_is_yours: "Nuoroda skirta tik jums. Niekam jos nepersiųskite.", "This link is for you only. Do not forward it.";
    letter_asks_to_confirm: "prašo jūsų savo parašu patvirtinti tapatybę:", "asks you to confirm your identity by signing:";
    letter_reminds_to_confirm: "primena, kad laukia, kol savo parašu patvirtinsite tapatybę:", "reminds you to confirm your identity by signing:";
    letter_has_cancelled_confirming: "atšaukė prašymą patvirtinti tapatybę:", "has cancelled the request to confirm your identity:";
    letter_address: "Jei mygtukas neveikia, atverkite šį adresą:", "If the button does not work, open this address:";
    letter_ways: "Pasirašyti galite šiais būdais: {methods}.", "You can sign with: {methods}.";
    letter_mobile_id: "mobilusis parašas (Mobile\u{2011}ID)", "Mobile-ID";
    letter_card: "asmens tapatybės kortelė (NFC)", "ID card (NFC)";
    letter_decline: "Jei pasirašyti nenorite, atverkite nuorodą ir puslapyje rinkitės „Nenoriu pasirašyti“.", "If you do not want to sign, open the link and choose “I do not want to sign” on the page.";
    letter_questions: "Turite klausimų? Kreipkitės: {contact}.", "Any questions? Contact {contact}.";
    letter_subject_confirm: "Prašymas patvirtinti tapatybę", "Request to confirm your identity";
    letter_subject_confirm_reminder: "Priminimas patvirtinti tapatybę", "Reminder to confirm your identity";
    letter_subject_confirm_retraction: "Tapatybės patvirtinti nebereikia", "You no longer need to confirm your identity";
    letter_subject_invitation: "Prašymas pasirašyti", "Request to sign";
    letter_subject_turn: "Jūsų eilė pasirašyti", "Your turn to sign";
    letter_subject_done: "Pasirašyta", "Signed";
    letter_subject_reminder: "Priminimas pasirašyti", "Reminder to sign";
    letter_subject_retraction: "Pasirašyti nebereikia", "You no longer need to sign";
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ALL, Messages};
    use crate::vocabulary::Language;

    /// Messages that are the same in both languages.
    const NAMES: [&str; 1] = ["smart_id"];
    /// Places for numbers.
    const COUNTS: [&str; 3] = ["{minutes}", "{page}", "{pages}"];
    /// Sources that use sentences.
    const USERS: [&str; 2] = ["src", "../../host/ceremony/src/letters"];

    fn sources(folder: &Path) -> String {
        let entries = std::fs::read_dir(folder).expect("a folder of sources");
        entries
            .map(|entry| entry.expect("an entry").path())
            .map(|path| match path.is_dir() {
                true => sources(&path),
                false if path.extension().is_some_and(|ending| ending == "rs") => {
                    std::fs::read_to_string(&path).expect("a source file")
                }
                false => String::new(),
            })
            .collect()
    }

    fn places(sentence: &str) -> Vec<&str> {
        let mut places: Vec<_> = sentence
            .split('{')
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('}')?.0))
            .collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn every_sentence_is_there_in_both_languages_with_the_same_places() {
        for (name, lithuanian, english) in ALL {
            assert!(!lithuanian.is_empty() && !english.is_empty(), "{name}");
            assert_eq!(places(lithuanian), places(english), "{name}");
            assert_eq!(lithuanian == english, NAMES.contains(name), "{name}");
        }
    }

    #[test]
    fn lithuanian_has_its_own_quotes_and_dashes_and_its_numbers_stay_with_what_they_count() {
        for (name, lithuanian, _) in ALL {
            for foreign in ["\"", "'", "”", " - ", "—"] {
                assert!(!lithuanian.contains(foreign), "{name}: {foreign}");
            }
            assert_eq!(
                lithuanian.matches('„').count(),
                lithuanian.matches('“').count(),
                "{name}"
            );
            let words: Vec<_> = lithuanian.split(' ').collect();
            for word in &words[..words.len() - 1] {
                let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
                assert!(!is_number && !COUNTS.contains(word), "{name}: {word}");
            }
        }
    }

    #[test]
    fn nobody_is_invited_to_sign_as_somebody_else_or_left_without_a_reason() {
        let told = Messages::of(Language::Lt);
        assert_eq!(
            told.failed_identity_mismatch,
            "Ši nuoroda skirta kitam asmeniui. Jei ji skirta jums, pasirašykite savo Smart-ID, \
             mobiliuoju parašu arba asmens tapatybės kortele. Jei ne\u{a0}– nepasirašykite ir \
             praneškite siuntėjui."
        );
        for neutral in [
            told.failed_other_card,
            told.failed_other_number,
            told.failed_other_person,
        ] {
            assert!(!neutral.contains("nuoroda"), "{neutral}");
        }
        for reason in [
            "jūsų eilė",
            "jau pasirašyta",
            "atsisakyta",
            "baigėsi",
            "atšauktas",
        ] {
            assert!(told.dead_link_explained.contains(reason), "{reason}");
        }
    }

    #[test]
    fn no_sentence_is_unused() {
        let sources: String = USERS
            .map(|user| sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(user)))
            .concat();
        for (name, ..) in ALL {
            let used = sources
                .match_indices(&format!(".{name}"))
                .any(|(at, found)| {
                    let next = sources[at + found.len()..].chars().next();
                    !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
                });
            assert!(used, "{name} is not used");
        }
    }
}
