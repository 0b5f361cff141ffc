/**
 * Models by key of the make: `Name = other spelling, ...`. The longest name a model text begins with is its model,
 * and what follows is its trim; so a model that begins like another, such as Bronco Sport, stands here beside it.
 * Models that are not here are known by their own text; see `canonicalVehicle` in names.ts.
 */
export const modelSpellings: Readonly<Record<string, string>> = {
  acura: 'CL; ILX; Integra; Legend; MDX; NSX; RDX; RL; RLX; RSX; SLX; TL; TLX; TSX; Vigor; ZDX',
  alfaromeo: '4C; 164; Giulia; Spider; Stelvio; Tonale',
  audi: `80; 90; 100; 200; 5000; A3; A3 Sportback e-tron; A4; A4 allroad; A5; A6; A6 allroad; A7; A8; allroad;
    Cabriolet; Q3; Q4 e-tron = Q4 Sportback e-tron; Q5; Q6 e-tron = Q6 Sportback e-tron; Q7;
    Q8; Q8 e-tron = Q8 Sportback e-tron; e-tron; e-tron GT; R8; RS 3; RS 4; RS 5; RS 6 = RS 6 Avant; RS 7; RS Q8;
    RS e-tron GT; S3; S4; S5; S6; S7; S8; SQ5; SQ6 e-tron = SQ6 Sportback e-tron; SQ7; SQ8; TT; TTS; V8 Quattro`,
  bmw: `1 Series = 1-Series; 2 Series = 2-Series; 3 Series = 3-Series; 4 Series = 4-Series; 5 Series = 5-Series;
    6 Series = 6-Series; 7 Series = 7-Series; 8 Series = 8-Series; 1 Series M; i3; i4; i5; i7; i8; iX; M2; M3; M4;
    M5; M6; M8; M Coupe; M Roadster; X1; X2; X3; X4; X5; X6; X7; XM; Z3; Z4; Z8`,
  buick: `Cascada; Century; Electra; Enclave; Encore; Encore GX; Envision; Envista; LaCrosse = La Crosse; LeSabre = Le Sabre;
    Lucerne; Park Avenue; Rainier; Reatta; Regal; Rendezvous; Riviera; Roadmaster; Skyhawk; Skylark; Somerset; Terraza; Verano`,
  cadillac: `Allante; ATS; BLS; Brougham; Catera; Celestiq; Cimarron; CT4; CT5; CT6; CTS; DeVille = De Ville; DTS; Eldorado; ELR; Escalade;
    Escalade ESV; Escalade EXT; Escalade IQ; Fleetwood; Lyriq; Optiq; Seville; SRX; STS; Vistiq; XLR; XT4; XT5; XT6; XTS`,
  chevrolet: `Astro; Avalanche; Aveo; Beretta; Blazer; Blazer EV; Bolt EUV; Bolt EV = Bolt; C10; C20; C30; C1500; C2500; C3500;
    C/K 1500; C/K 2500; C/K 3500; Camaro; Caprice; Captiva = Captiva Sport; Cavalier; Celebrity; Chevette; City Express; Classic; Cobalt; Colorado;
    Corsica; Corvette = Vette; Cruze; El Camino; Equinox; Equinox EV; Express = Express Van; Express 1500; Express 2500; Express 3500;
    HHR; Impala; Impala Limited; K1500; K2500; K3500; Kodiak; Lumina; Lumina APV; Malibu; Malibu Classic; Malibu Limited; Malibu Maxx;
    Metro; Monte Carlo; Nova; Prizm; S10 = S-10 Pickup, S-10 Truck; S10 Blazer; Silverado = Silverado Pickup; Silverado 1500 = Silverado C1500, Silverado K1500;
    Silverado 2500 = Silverado 2500HD, Silverado 2500 HD; Silverado 3500 = Silverado 3500HD, Silverado 3500 HD;
    Silverado 4500 = Silverado 4500HD; Silverado 5500 = Silverado 5500HD; Silverado 6500 = Silverado 6500HD; Silverado EV; Sonic; Spark; Spark EV; Sprint;
    SS = Cheveroletss, Chevrolet SS; SSR; Suburban; Tahoe; Tracker; Trailblazer = Trail Blazer; Trailblazer EXT = Trail Blazer EXT; Traverse;
    Traverse Limited; Trax; Uplander; Venture; Volt`,
  chrysler: `200; 300; 300C; 300M; Aspen; Cirrus; Concorde; Crossfire; Imperial; Laser; LeBaron = Le Baron; LHS; New Yorker;
    Pacifica; Prowler; PT Cruiser; Sebring; Town and Country = Town Country, T&C; TC; Voyager = Grand Voyager`,
  dodge: `Aries; Avenger; B150; B250; B350; Caliber; Caravan; Grand Caravan; Challenger; Charger; Colt; Conquest; D150; D250; D350; Dakota;
    Dart; Daytona; Diplomat; Durango = Durango1; Dynasty; Hornet; Intrepid; Journey; Lancer; Magnum; Monaco; Neon; Nitro; Omni; Raider; RAM;
    RAM 50; RAM 1500; RAM 2500; RAM 3500; RAM 4500; RAM 5500; RAM Van; Ramcharger; Shadow; Spirit; Sprinter; Stealth; Stratus; Viper; W150; W250`,
  fiat: '124 Spider; 500; 500 Abarth; 500e; 500L; 500X',
  ford: `Aerostar; Aspire; Bronco; Bronco II; Bronco Sport; C-Max; Contour; Crown Victoria = Crown Vic, LTD Crown Victoria; E-150 = Econoline 150, E150 Econoline;
    E-250 = Econoline 250; E-350 = Econoline 350; E-450; E-550; E-Series; E-Transit; Econoline; EcoSport; Edge; Escape; Escort; Escort ZX2; Excursion;
    Expedition; Expedition EL; Expedition Max; Explorer; Explorer Sport; Explorer Sport Trac = Sport Trac; EXP; F-100; F-150 = F150 Truck, F-150 Pickup, F Series 150; F-150 Heritage; F-150 Lightning;
    F-250; F-350; F-450; F-550; F-53; F-59;
    F-600; F-650; F-750; F-800; Fairmont; Festiva; Fiesta; Five Hundred = 500; Flex; Focus; Freestar; Freestyle; Fusion; Granada; GT; LTD; Maverick;
    Mustang; Mustang Mach-E = Mach-E; Police Interceptor Sedan; Police Interceptor Utility; Probe; Ranger; Super Duty; Taurus; Taurus X; Tempo; Thunderbird; Transit; Transit Connect; Windstar; ZX2`,
  genesis:
    'G70; G80; G80 Electrified = Electrified G80; G90; GV60; GV70; GV70 Electrified = Electrified GV70; GV80',
  geo: 'Metro; Prizm; Spectrum; Storm; Tracker',
  gmc: `Acadia; Acadia Limited; C1500; C2500; C3500; C/K 1500; C/K 2500; C/K 3500; Canyon; Caballero; Envoy; Envoy XL; Envoy XUV; Hummer EV Pickup; Hummer EV SUV; Jimmy; K1500; K2500; S15; S15 Jimmy;
    Safari; Savana; Savana 1500; Savana 2500; Savana 3500; Sierra; Sierra 1500 = Sierra C1500, Sierra K1500; Sierra 2500 = Sierra 2500HD, Sierra 2500 HD;
    Sierra 3500 = Sierra 3500HD, Sierra 3500 HD; Sierra EV; Sonoma; Suburban; Syclone; Terrain; TopKick; Typhoon; Yukon; Yukon Denali; Yukon XL`,
  honda: `Accord; Accord Crosstour; Civic; Civic del Sol = del Sol; Civic Type R; Clarity; CR-V = CRV; CR-V Fuel Cell EV; CR-X; CR-Z; Crosstour; Element; EV Plus; Fit; HR-V; Insight; Odyssey;
    Passport; Pilot; Prelude; Prologue; Ridgeline; S2000`,
  hummer: 'H1; H2; H2 SUT; H3; H3T',
  hyundai: `Accent; Azera; Elantra; Elantra GT; Elantra N; Elantra Touring; Entourage; Equus; Excel; Genesis; Genesis Coupe; Ioniq;
    Ioniq 5; Ioniq 6; Ioniq 9; Kona; Kona N; Nexo; Palisade; Santa Cruz; Santa Fe = Santafe; Santa Fe Sport; Santa Fe XL; Scoupe; Sonata; Tiburon; Tucson; Veloster; Venue; Veracruz; XG300; XG350`,
  infiniti: `EX35; EX37; FX35; FX37; FX45; FX50; G20; G25; G35; G37; I30; I35; J30; JX35; M30; M35; M37; M45; M56; Q40; Q45; Q50; Q60; Q70; Q70L; QX30; QX4; QX50; QX55; QX56; QX60; QX70; QX80`,
  isuzu:
    'Amigo; Ascender; Axiom; Hombre; i-280; i-290; i-350; i-370; Impulse; NPR; NQR; NRR; Oasis; Pickup; Rodeo; Rodeo Sport; Stylus; Trooper; Trooper II; VehiCROSS',
  jaguar:
    'E-Pace; F-Pace; F-Type; I-Pace; S-Type; Vanden Plas; X-Type; XE; XF; XFR; XJ; XJ6; XJ8; XJR; XJS; XK; XK8; XKR',
  jeep: `Cherokee; CJ5; CJ7; Comanche; Commander; Compass; Gladiator; Grand Cherokee; Grand Cherokee L; Grand Wagoneer; Grand Wagoneer L; J10; Liberty; Patriot; Renegade; Wagoneer; Wagoneer L; Wagoneer S;
    Wrangler; Wrangler Unlimited`,
  kia: `Amanti; Borrego; Cadenza; Carnival; EV6; EV9; Forte; Forte Koup; K4; K5; K900; Magentis; Niro; Optima; Rio; Rio5; Rondo; Sedona; Seltos; Sephia; Sorento; Soul; Spectra; Spectra5; Sportage; Stinger; Telluride`,
  landrover: `Defender; Discovery; Discovery II = Discovery Series II; Discovery Sport; Freelander; LR2; LR3; LR4; Range Rover = New Range Rover; Range Rover Evoque = Evoque; Range Rover Sport; Range Rover Velar = Velar`,
  lexus: `CT 200h; ES; ES 250; ES 300; ES 300h; ES 330; ES 350; GS; GS 200t; GS 300; GS 350; GS 400; GS 430; GS 450h; GS 460; GS F; GX; GX 460; GX 470; GX 550; HS 250h; IS; IS 200t; IS 250; IS 300; IS 350; IS 500; IS F;
    LC; LC 500; LFA; LS; LS 400; LS 430; LS 460; LS 500; LS 600h; LX; LX 450; LX 470; LX 570; LX 600; NX; NX 200t; NX 250; NX 300; NX 300h; NX 350; NX 350h; NX 450h; RC; RC 200t; RC 300; RC 350; RC F; RX; RX 300; RX 330;
    RX 350; RX 350L; RX 400h; RX 450h; RX 500h; RZ; RZ 450e; SC 300; SC 400; SC 430; TX; TX 350; TX 500h; UX; UX 200; UX 250h`,
  lincoln: `Aviator; Blackwood; Continental; Corsair; LS; Mark LT; Mark VII; Mark VIII; MKC; MKS; MKT; MKX; MKZ; Nautilus; Navigator; Navigator L; Town Car; Versailles; Zephyr`,
  mazda: `323; 626; 929; B2200; B2300; B2500; B2600; B3000; B4000; CX-3; CX-30; CX-5; CX-50; CX-7; CX-70; CX-9; CX-90; GLC; Mazda2 = 2; Mazda3 = 3; Mazda5 = 5; Mazda6 = 6; Mazdaspeed3; Mazdaspeed6; Millenia; MPV; MX-3; MX-30; MX-5 = Miata, MX-5 Miata, MX5 Miata;
    MX-6; Navajo; Protege; Protege5; RX-7; RX-8; Tribute`,
  mercury:
    'Bobcat; Capri; Cougar; Grand Marquis; Lynx; Marauder; Mariner; Marquis; Milan; Montego; Monterey; Mountaineer; Mystique; Sable; Topaz; Tracer; Villager; Zephyr',
  mercedesbenz: `Metris; Sprinter = Sprinter Van, Sprinter Cargo Van; SLR McLaren; SLS AMG; AMG GT; AMG ONE; 190; 190D; 190E; 200; 220; 230; 240D; 260E; 280; 300; 300C; 300CE; 300D; 300E; 300SD; 300SE; 300SEL; 300SL; 300TD; 300TE; 350SD; 350SDL; 400E; 400SE; 400SEL; 420SEL; 500E; 500SEC; 500SEL; 500SL; 560SEC; 560SEL; 560SL; 600SEL; 600SL`,
  mini: `Cooper = Mini Cooper, Hardtop, JCW, John Cooper Works; Clubman = Cooper Clubman, Cooper S Clubman, JCW Clubman;
    Countryman = Cooper Countryman, Cooper S Countryman, JCW Countryman; Paceman = Cooper Paceman, Cooper S Paceman; Coupe = Cooper Coupe, Cooper S Coupe; Roadster = Cooper Roadster, Cooper S Roadster`,
  mitsubishi:
    '3000GT; Diamante; Eclipse; Eclipse Cross; Endeavor; Expo; Galant; i-MiEV; Lancer; Lancer Evolution; Mighty Max; Mirage; Mirage G4; Montero; Montero Sport; Outlander; Outlander Sport; Precis; Raider; Sigma; Starion; Van',
  nissan: `200SX; 240SX; 280ZX; 300ZX; 350Z; 370Z; Altima; Altima Coupe; Ariya; Armada; Axxess; Cube; Frontier; GT-R; Hardbody; Juke; Kicks; Leaf; Maxima; Murano; Murano CrossCabriolet; NV; NV1500; NV200; NV2500; NV3500; NX; Pathfinder; Pathfinder Armada;
    Pickup; Pulsar; Quest; Rogue; Rogue Select; Rogue Sport; Sentra; Stanza; Titan; Titan XD; Van; Versa; Versa Note; Xterra; Z`,
  oldsmobile:
    'Achieva; Alero; Aurora; Bravada; Calais; Custom Cruiser; Cutlass; Cutlass Ciera; Cutlass Supreme; Delta 88; Eighty-Eight = 88; Ninety-Eight = 98; Intrigue; LSS; Regency; Silhouette; Toronado',
  plymouth:
    'Acclaim; Breeze; Caravelle; Colt; Colt Vista; Grand Voyager; Horizon; Laser; Neon; Prowler; Reliant; Sundance; Voyager',
  pontiac:
    '6000; Aztek; Bonneville; Catalina; Fiero; Firebird; Firefly; G3; G5; G6; G8; Grand Am; Grand Prix; GTO; LeMans = Le Mans; Montana; Montana SV6; Parisienne; Phoenix; Safari; Solstice; Sunbird; Sunfire; Torrent; Trans Sport; Vibe',
  porsche:
    '911; 914; 918 Spyder; 924; 928; 944; 968; Boxster = 718 Boxster; Carrera GT; Cayenne; Cayman = 718 Cayman; 718 Spyder; Macan; Macan Electric; Panamera; Taycan',
  ram: '1500; 1500 Classic; 2500; 3500; 4500; 5500; C/V; Dakota; ProMaster = Promaster 1500, Promaster 2500, Promaster 3500; ProMaster City',
  rivian: 'EDV; R1S; R1T = R 1 T; R2',
  saab: '9-2X; 9-3; 9-4X; 9-5; 9-7X; 900; 9000',
  saturn:
    'Astra; Aura; Ion; L-Series; L100; L200; L300; LS; LW; Outlook; Relay; S-Series; SC; SC1; SC2; Sky; SL; SL1; SL2; SW; SW1; SW2; Vue',
  scion: 'FR-S; iA; iM; iQ; tC; xA; xB; xD',
  smart: 'fortwo',
  subaru:
    'Ascent; B9 Tribeca; Baja; Brat; BRZ; Crosstrek = XV Crosstrek; DL; Forester; GL; Impreza; Justy; Legacy; Loyale; Outback = Legacy Outback; Outback Sport = Impreza Outback, Impreza Outback Sport; Solterra; SVX; Tribeca; WRX = Impreza WRX; XT',
  suzuki:
    'Aerio; Equator; Esteem; Forenza; Grand Vitara; Kizashi; Reno; Samurai; Sidekick; Swift; SX4; Verona; Vitara; X-90; XL7',
  tesla: 'Cybertruck; Model 3 = 3; Model S = S; Model X = X; Model Y = Y; Roadster; Semi',
  toyota: `4Runner; 86; Avalon; bZ4X; C-HR; Camry; Camry Solara = Solara; Celica; Corolla; Corolla Cross; Corolla iM; Corona; Cressida; Crown; Crown Signia; Echo; FJ Cruiser; GR Corolla; GR Supra; GR86; Grand Highlander; Highlander;
    Land Cruiser = Landcruiser; Matrix = Corolla Matrix; Mirai; MR2; MR2 Spyder; Paseo; Pickup; Previa; Prius; Prius c; Prius Prime; Prius v; RAV4; RAV4 Prime; Sequoia; Sienna; Starlet; Supra; T100; Tacoma; Tercel; Tundra; Van; Venza; Yaris; Yaris iA`,
  volkswagen: `Arteon; Atlas; Atlas Cross Sport; Beetle = New Beetle; Cabrio; Cabriolet; CC; Corrado; Dasher; e-Golf; Eos; Eurovan; Fox; GLI; Golf; Golf Alltrack; Golf R; Golf SportWagen; GTI = Golf GTI; ID. Buzz; ID.4; Jetta; Jetta SportWagen; Passat; Phaeton; Quantum; R32; Rabbit; Routan; Scirocco; Taos; Tiguan; Tiguan Limited; Touareg; Vanagon`,
  volvo: `240; 244; 740; 760; 780; 850; 940; 960; C30; C40; C70; EX30; EX40; EC40; EX90; S40; S60; S70; S80; S90; V40; V50; V60; V70; V90; XC; XC40; XC60; XC70; XC90; VNL; VNR; VHD; VAH`,
}
